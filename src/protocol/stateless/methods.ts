/** Methods that only stateless revisions have: `server/discover` and `subscriptions/listen`. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { type Id, isObject, type Params } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../model/capabilities.ts';
import { isWithin, type ServerEvent, type SubscriptionFilter } from '../model/changes.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import { MAX_SUBSCRIPTION_URIS } from '../params.ts';
import type { Call, OpenSubscription, RevisionMethod, ServerInfo, SubscriptionField } from '../revision.ts';

export const methods: ReadonlyMap<string, RevisionMethod> = new Map<string, RevisionMethod>([
  ['server/discover', discover],
  ['subscriptions/listen', listen],
]);

function discover(call: Call, server: ServerInfo): object {
  call.encodingHints = { cache: server.cache };
  return {
    supportedVersions: server.versions,
    capabilities: server.declaredIn(call.revision, call.exchange.principal),
    ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
  };
}

/** Sends change notifications until the client cancels or the server closes. Returns at once if no subscription is accepted. */
export function listen(call: Call, server: ServerInfo): object | Promise<object> {
  const requested = filterOf(call.params) as Params;
  const fields = [...server.subscriptions].filter(([name]) => Object.hasOwn(requested, name));
  return fields.length === 0 ? startSubscription(call, server, new Map()) : openFields(call, server, requested, fields);
}

async function openFields(
  call: Call,
  server: ServerInfo,
  requested: Params,
  fields: readonly (readonly [string, OpenSubscription])[],
): Promise<object> {
  const opening = Promise.all(fields.map(async ([name, open]) => [name, await open(requested[name], call)] as const));
  const cancelled = new Promise<undefined>((resolve) => call.exchange.onCancel(() => resolve(undefined)));
  const opened = await Promise.race([opening, cancelled]);
  if (!opened) return { _meta: metaOf(call.id) };
  const accepted = opened.filter((field): field is [string, SubscriptionField] => field[1] !== undefined);
  return startSubscription(call, server, new Map(accepted));
}

function startSubscription(
  call: Call,
  server: ServerInfo,
  fields: ReadonlyMap<string, SubscriptionField>,
): object | Promise<object> {
  const { id, params, exchange } = call;
  const filter = acceptedFilter(filterOf(params), server.capabilities);
  const acceptedFields = Object.fromEntries([...fields].map(([name, field]) => [name, field.accepted]));
  const _meta = metaOf(id);
  const notifications = { ...filter, ...acceptedFields };
  exchange.notify('notifications/subscriptions/acknowledged', { notifications, _meta });
  if (Object.keys(notifications).length === 0) return { _meta };

  const onChange = (change: ServerEvent): void => {
    const notification = notificationFor(change, filter, id);
    if (notification) exchange.notify(notification.method, notification.params);
  };
  exchange.onEnd(server.watch(onChange, call, () => filter.resourceSubscriptions ?? []));
  const notify = (method: string, sent: Params): void =>
    exchange.notify(method, { ...sent, _meta: { ...(isObject(sent['_meta']) ? sent['_meta'] : {}), ..._meta } });
  for (const field of fields.values()) exchange.onEnd(field.begin(notify));
  return new Promise((resolve) => exchange.onCancel(() => resolve({ _meta })));
}

function metaOf(id: Id): Meta {
  return { [MetaKey.subscriptionId]: id };
}

/** Returns the param `notifications` of `subscriptions/listen`. Throws -32602 if the filter is malformed. */
export function filterOf(params: Params): SubscriptionFilter {
  const filter = params['notifications'];
  if (!isObject(filter)) throw RpcError.invalidParams('"notifications" must be an object');
  for (const name of ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged']) {
    if (filter[name] !== undefined && typeof filter[name] !== 'boolean') {
      throw RpcError.invalidParams(`"notifications.${name}" must be a boolean`);
    }
  }
  const uris = filter['resourceSubscriptions'];
  if (uris !== undefined && !(Array.isArray(uris) && uris.every((uri) => typeof uri === 'string'))) {
    throw RpcError.invalidParams('"notifications.resourceSubscriptions" must be an array of strings');
  }
  if (Array.isArray(uris) && uris.length > MAX_SUBSCRIPTION_URIS) {
    throw RpcError.invalidParams(
      `"notifications.resourceSubscriptions" may hold at most ${MAX_SUBSCRIPTION_URIS} URIs`,
    );
  }
  return filter as SubscriptionFilter;
}

export function acceptedFilter(filter: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const { tools, prompts, resources } = capabilities;
  const uris = filter.resourceSubscriptions ?? [];
  return {
    ...(filter.toolsListChanged && tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(filter.promptsListChanged && prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(filter.resourcesListChanged && resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 && resources?.subscribe ? { resourceSubscriptions: uris } : {}),
  };
}

export function notificationFor(
  change: ServerEvent,
  filter: SubscriptionFilter,
  id: Id,
): { method: string; params: Params } | undefined {
  // In stateless revisions, a log message is sent only during the request that caused it.
  if (change.type === 'log') return undefined;
  const _meta = metaOf(id);
  if (change.type === 'resource') {
    if (!filter.resourceSubscriptions?.some((uri) => isWithin(change.uri, uri))) return undefined;
    return { method: 'notifications/resources/updated', params: { uri: change.uri, _meta } };
  }
  if (filter[`${change.type}ListChanged`] !== true) return undefined;
  return { method: `notifications/${change.type}/list_changed`, params: { _meta } };
}
