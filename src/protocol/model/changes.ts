/** Changes: what a server tells those who watch it. */

/** Something a client may have listed or read is different now. */
export type Change =
  | { readonly type: 'tools' }
  | { readonly type: 'prompts' }
  | { readonly type: 'resources' }
  | { readonly type: 'resource'; readonly uri: string };

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
