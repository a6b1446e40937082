/** Changes of a server's lists and resources, which become `list_changed` and `resources/updated` notifications. */

import { isObject, type Notification } from '../../jsonrpc/message.ts';
import type { LogMessage } from './logging.ts';

/** The change of a list (`tools`, `prompts`, `resources`) or of one resource. */
export type Change =
  | { readonly type: 'tools' }
  | { readonly type: 'prompts' }
  | { readonly type: 'resources' }
  | { readonly type: 'resource'; readonly uri: string };

/** A log message that belongs to no request. Sessions whose log level includes it get it. */
export interface LogEvent {
  readonly type: 'log';
  readonly message: LogMessage;
}

/** An event for all clients of a server, on every node. It contains only JSON values, so that it can be sent between nodes. */
export type ServerEvent = Change | LogEvent;

/**
 * Returns the URIs that an observer of changes subscribed to. Called after changes may have been missed: the observer is then
 * notified of all of them. An observer that serves several clients instead notifies each client of those of its URIs for which
 * `canSee` is true, and returns no URIs.
 */
export type SubscribedUris = (canSee: (uri: string) => boolean) => Iterable<string> | Promise<Iterable<string>>;

/** `notifications` of `subscriptions/listen`: the changes that a client subscribes to. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

/** True if `uri` is the subscribed URI or below it: subscribers of a folder are notified of changes inside it. */
export function isWithin(uri: string, subscribed: string): boolean {
  return uri === subscribed || uri.startsWith(subscribed.endsWith('/') ? subscribed : `${subscribed}/`);
}

const LIST_CHANGED: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['notifications/tools/list_changed', { type: 'tools' }],
  ['notifications/prompts/list_changed', { type: 'prompts' }],
  ['notifications/resources/list_changed', { type: 'resources' }],
]);

/** Returns the change that a notification reports; undefined for notifications of other kinds. */
export function changeInNotification({ method, params }: Notification): Change | undefined {
  if (method !== 'notifications/resources/updated') return LIST_CHANGED.get(method);
  const uri = isObject(params) ? params['uri'] : undefined;
  return typeof uri === 'string' ? { type: 'resource', uri } : undefined;
}
