/** Passes notifications from the server through middleware to callbacks, extensions and watches. */

import { callGuarded } from '../jsonrpc/errors.ts';
import { isObject, type Notification } from '../jsonrpc/message.ts';
import { runMiddleware } from '../jsonrpc/middleware.ts';
import { type Change, changeInNotification } from '../protocol/model/changes.ts';
import { isLoggingLevel, type LogMessage } from '../protocol/model/logging.ts';
import { MetaKey } from '../protocol/model/meta.ts';
import type { Conversation } from './conversation.ts';
import type { ExtensionConnection } from './extension.ts';
import type { Extensions } from './extensions.ts';
import type { ClientMiddleware } from './middleware.ts';
import type { ConnectionOptions } from './options.ts';

export interface NewsHost {
  /** Read for each notification, because `Client.use` can add middleware at any time. */
  readonly middleware: readonly ClientMiddleware[];
  readonly options: Pick<ConnectionOptions, 'onLog' | 'onNotification'>;
  readonly extensions: Extensions;
  readonly peer: ExtensionConnection;
  /** Called with each change, to invalidate cached results. */
  onChange(change: Change): void;
  /** Called with each notification, for watches and completed URL elicitations. */
  hear(notification: Notification): void;
  onError(error: Error): void;
}

/** Dispatches notifications. An error in one callback goes to `onError` and does not affect the others. */
export class News {
  readonly #host: NewsHost;

  constructor(host: NewsHost) {
    this.#host = host;
  }

  /** Dispatches a notification that belongs to no open subscription. */
  take(notification: Notification, from: Conversation): void {
    this.deliver(notification, from, (one) => this.#spread(one, from));
  }

  /** Passes a notification through middleware to `to`. */
  deliver(notification: Notification, from: Conversation, to: (notification: Notification) => void): void {
    const { method } = notification;
    const params = isObject(notification.params) ? notification.params : {};
    const call = { direction: 'in', kind: 'notification', method, params, revision: from.version } as const;
    const delivered = runMiddleware(this.#host.middleware, call, (changed) =>
      to(changed.params === params ? notification : { ...notification, params: changed.params }),
    );
    this.settle(delivered);
  }

  /** Passes a rejection of asynchronous middleware to `onError`, because a notification has no caller. */
  settle(result: unknown): void {
    if (result instanceof Promise) result.catch((error: unknown) => this.#host.onError(error as Error));
  }

  /** Calls `onNotification`. */
  tell(notification: Notification): void {
    this.#attempt(() => this.#host.options.onNotification?.(notification));
  }

  #spread(notification: Notification, from: Conversation): void {
    const { extensions, options, peer } = this.#host;
    const change = changeInNotification(notification);
    if (change) this.#host.onChange(change);
    // A replaced subscription can still send a change. It is a duplicate, because the new subscription sends the change too.
    if (change && isOfSubscription(notification)) return;
    this.#host.hear(notification);
    const message = logMessageOf(notification);
    if (message) this.#attempt(() => options.onLog?.(message));
    const params = isObject(notification.params) ? notification.params : {};
    for (const { hear } of extensions.hearersOf(notification.method, from)) this.#attempt(() => hear(params, peer));
    this.tell(notification);
  }

  #attempt(listener: () => unknown): void {
    callGuarded(listener, (error) => this.#host.onError(error));
  }
}

function logMessageOf({ method, params }: Notification): LogMessage | undefined {
  if (method !== 'notifications/message' || !isObject(params) || !isLoggingLevel(params['level'])) return undefined;
  return params as unknown as LogMessage;
}

function isOfSubscription({ params }: Notification): boolean {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) && meta[MetaKey.subscriptionId] !== undefined;
}
