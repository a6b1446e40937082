/** Changes: what a server tells those who watch it. */

import { isObject, type Notification } from '../../jsonrpc/message.ts';
import type { LogMessage } from './logging.ts';

/** Something a client may have listed or read is different now. */
export type Change =
  | { readonly type: 'tools' }
  | { readonly type: 'prompts' }
  | { readonly type: 'resources' }
  | { readonly type: 'resource'; readonly uri: string };

/** A log message that belongs to no request, for every client that wants messages of its level. */
export interface LogEvent {
  readonly type: 'log';
  readonly message: LogMessage;
}

/** What a server publishes to all of its clients, on every node: JSON. */
export type ServerEvent = Change | LogEvent;

/**
 * The URIs a watcher subscribed to: read when changes may have been missed. A watcher that serves several clients notifies each
 * of its own URIs that `canSee` allows, and returns none.
 */
export type SubscribedUris = (canSee: (uri: string) => boolean) => Iterable<string> | Promise<Iterable<string>>;

/** What a client wants to be told, in the words of `subscriptions/listen`. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

/** True if a change of `uri` concerns someone who subscribed to `subscribed`: a folder's subscriber hears of what is inside. */
export function isWithin(uri: string, subscribed: string): boolean {
  return uri === subscribed || uri.startsWith(subscribed.endsWith('/') ? subscribed : `${subscribed}/`);
}

const LIST_CHANGED: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['notifications/tools/list_changed', { type: 'tools' }],
  ['notifications/prompts/list_changed', { type: 'prompts' }],
  ['notifications/resources/list_changed', { type: 'resources' }],
]);

/** The change a notification tells of, if it tells of one. */
export function changeInNotification({ method, params }: Notification): Change | undefined {
  if (method !== 'notifications/resources/updated') return LIST_CHANGED.get(method);
  const uri = isObject(params) ? params['uri'] : undefined;
  return typeof uri === 'string' ? { type: 'resource', uri } : undefined;
}
