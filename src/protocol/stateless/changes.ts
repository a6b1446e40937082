/** Changes, told only to open `subscriptions/listen` requests and marked with their id. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { type Id, isObject, type Params } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../model/capabilities.ts';
import { isWithin, type ServerEvent, type SubscriptionFilter } from '../model/changes.ts';
import { MetaKey } from '../model/meta.ts';

const MAX_RESOURCES = 10_000;

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
  if (Array.isArray(uris) && uris.length > MAX_RESOURCES) {
    throw RpcError.invalidParams(`"notifications.resourceSubscriptions" may hold at most ${MAX_RESOURCES} URIs`);
  }
  return filter as SubscriptionFilter;
}

/** The part of it that this server can do. */
export function honoured(filter: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
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
export function noticeOf(
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
