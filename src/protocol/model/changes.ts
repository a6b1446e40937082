/** Changes of a server's lists and resources, which become `list_changed` and `resources/updated` notifications. */

import { isObject, type Notification } from '../../jsonrpc/message.ts';
import type { LogMessage } from './logging.ts';

/** A change of a list (`tools`, `prompts`, `resources`) or of a single resource. */
export type Change =
  | { readonly type: 'tools' }
  | { readonly type: 'prompts' }
  | { readonly type: 'resources' }
  | { readonly type: 'resource'; readonly uri: string };

/** A log message that belongs to no request, for all sessions whose log level includes the message. */
export interface LogEvent {
  readonly type: 'log';
  readonly message: LogMessage;
}

/** An event for all clients of a server. Events contain only JSON values, so that a bus can send them to other nodes. */
export type ServerEvent = Change | LogEvent;

/**
 * Called when changes could have been lost. Returns the subscribed URIs; those for which `canSee` is true are then reported as
 * updated. If several clients share an observer, the function notifies each client itself and returns no URIs.
 */
export type SubscribedUris = (canSee: (uri: string) => boolean) => Iterable<string> | Promise<Iterable<string>>;

/** Param `notifications` of `subscriptions/listen`: the changes that a client subscribes to. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

/** Returns true if `uri` equals `subscribed` or is below it: a subscription to a folder includes the files in the folder. */
export function isWithin(uri: string, subscribed: string): boolean {
  return uri === subscribed || uri.startsWith(subscribed.endsWith('/') ? subscribed : `${subscribed}/`);
}

const LIST_CHANGED: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['notifications/tools/list_changed', { type: 'tools' }],
  ['notifications/prompts/list_changed', { type: 'prompts' }],
  ['notifications/resources/list_changed', { type: 'resources' }],
]);

export function changeInNotification({ method, params }: Notification): Change | undefined {
  if (method !== 'notifications/resources/updated') return LIST_CHANGED.get(method);
  const uri = isObject(params) ? params['uri'] : undefined;
  return typeof uri === 'string' ? { type: 'resource', uri } : undefined;
}
