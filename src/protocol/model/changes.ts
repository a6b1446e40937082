/** Changes: events that become `list_changed` and `resources/updated` notifications. */

import { isObject, type Notification } from '../../jsonrpc/message.ts';
import type { LogMessage } from './logging.ts';

/** A list or a resource has changed. */
export type Change =
  | { readonly type: 'tools' }
  | { readonly type: 'prompts' }
  | { readonly type: 'resources' }
  | { readonly type: 'resource'; readonly uri: string };

/** A log message that belongs to no request. It is sent to all sessions whose log level includes it. */
export interface LogEvent {
  readonly type: 'log';
  readonly message: LogMessage;
}

/** An event for all clients of a server, on every node. It is plain JSON. */
export type ServerEvent = Change | LogEvent;

/**
 * The URIs a watcher subscribed to: read when changes may have been missed. A watcher that serves several clients notifies each
 * of its own URIs that `canSee` allows, and returns none.
 */
export type SubscribedUris = (canSee: (uri: string) => boolean) => Iterable<string> | Promise<Iterable<string>>;

/** `notifications` of `subscriptions/listen`: the changes that a client subscribes to. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

/** True if `uri` is `subscribed` or below it. Subscribers of a folder get updates of what is inside. */
export function isWithin(uri: string, subscribed: string): boolean {
  return uri === subscribed || uri.startsWith(subscribed.endsWith('/') ? subscribed : `${subscribed}/`);
}

const LIST_CHANGED: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['notifications/tools/list_changed', { type: 'tools' }],
  ['notifications/prompts/list_changed', { type: 'prompts' }],
  ['notifications/resources/list_changed', { type: 'resources' }],
]);

/** Returns the change of a notification; undefined for other notifications. */
export function changeInNotification({ method, params }: Notification): Change | undefined {
  if (method !== 'notifications/resources/updated') return LIST_CHANGED.get(method);
  const uri = isObject(params) ? params['uri'] : undefined;
  return typeof uri === 'string' ? { type: 'resource', uri } : undefined;
}
