/** The methods only stateless revisions have: `server/discover` and `subscriptions/listen`. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { type Id, isObject, type Params } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../model/capabilities.ts';
import { isWithin, type ServerEvent, type SubscriptionFilter } from '../model/changes.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import { MAX_SUBSCRIPTION_URIS } from '../params.ts';
import type { Call, OpenSubscription, RevisionMethod, ServerInfo, SubscriptionField } from '../revision.ts';

/** The requests of every stateless revision. */
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

/** Ends when the client stops listening or the server ends; at once if nothing that was asked for can be told. */
export function listen(call: Call, server: ServerInfo): object | Promise<object> {
  const wanted = filterOf(call.params) as Params;
  const fields = [...server.subscriptions].filter(([name]) => Object.hasOwn(wanted, name));
  // Whoever wants nothing of extensions does not wait for them.
  return fields.length === 0 ? startSubscription(call, server, new Map()) : openFields(call, server, wanted, fields);
}

async function openFields(
  call: Call,
  server: ServerInfo,
  wanted: Params,
  fields: readonly (readonly [string, OpenSubscription])[],
): Promise<object> {
  const opening = Promise.all(fields.map(async ([name, open]) => [name, await open(wanted[name], call)] as const));
  const opened = await Promise.race([opening, cancellation(call)]);
  if (!opened) return { _meta: metaOf(call) };
  return startSubscription(
    call,
    server,
    new Map(opened.filter((field): field is [string, SubscriptionField] => field[1] !== undefined)),
  );
}

function startSubscription(
  call: Call,
  server: ServerInfo,
  fields: ReadonlyMap<string, SubscriptionField>,
): object | Promise<object> {
  const { id, params, exchange } = call;
  const filter = acceptedFilter(filterOf(params), server.capabilities);
  const ofFields = Object.fromEntries([...fields].map(([name, field]) => [name, field.accepted]));
  const _meta = metaOf(call);
  const notifications = { ...filter, ...ofFields };
  exchange.notify('notifications/subscriptions/acknowledged', { notifications, _meta });
  if (Object.keys(notifications).length === 0) return { _meta };

  const tellChange = (change: ServerEvent): void => {
    const notice = notificationFor(change, filter, id);
    if (notice) exchange.notify(notice.method, notice.params);
  };
  exchange.onEnd(server.watch(tellChange, call, () => filter.resourceSubscriptions ?? []));
  for (const field of fields.values()) {
    const tellOfField = (method: string, told: Params): void =>
      exchange.notify(method, { ...told, _meta: { ...(isObject(told['_meta']) ? told['_meta'] : {}), ..._meta } });
    exchange.onEnd(field.begin(tellOfField));
  }
  return new Promise((resolve) => exchange.onCancel(() => resolve({ _meta })));
}

/** Resolves when nobody listens any more. */
function cancellation({ exchange }: Call): Promise<undefined> {
  return new Promise((resolve) => exchange.onCancel(() => resolve(undefined)));
}

function metaOf({ id }: Call): Meta {
  return { [MetaKey.subscriptionId]: id };
}

/** What was asked for, read from `params.notifications`. */
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

/** The part of it that this server can do. */
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

/** The notification that tells this subscription of a change, if it asked for it. */
export function notificationFor(
  change: ServerEvent,
  filter: SubscriptionFilter,
  id: Id,
): { method: string; params: Params } | undefined {
  // Log messages of these revisions belong to requests.
  if (change.type === 'log') return undefined;
  const _meta = { [MetaKey.subscriptionId]: id };
  if (change.type === 'resource') {
    if (!filter.resourceSubscriptions?.some((uri) => isWithin(change.uri, uri))) return undefined;
    return { method: 'notifications/resources/updated', params: { uri: change.uri, _meta } };
  }
  if (filter[`${change.type}ListChanged`] !== true) return undefined;
  return { method: `notifications/${change.type}/list_changed`, params: { _meta } };
}
