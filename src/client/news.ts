/** What the server says unasked: through middleware, and then to everybody who wants to hear it. */

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

/** Who hears it. */
export interface NewsHost {
  /** As of now. */
  readonly middleware: readonly ClientMiddleware[];
  readonly options: Pick<ConnectionOptions, 'onLog' | 'onNotification'>;
  readonly extensions: Extensions;
  readonly peer: ExtensionConnection;
  /** What is kept may not be true any more. */
  onChange(change: Change): void;
  /** It came for the connection itself. */
  hear(notification: Notification): void;
  onError(error: Error): void;
}

/** Hands out notifications. What a listener throws is told, and keeps no other from hearing. */
export class News {
  readonly #host: NewsHost;

  constructor(host: NewsHost) {
    this.#host = host;
  }

  /** A notification that belongs to nobody. */
  take(notification: Notification, from: Conversation): void {
    this.deliver(notification, from, (one) => this.#spread(one, from));
  }

  /** A notification that belongs to somebody. */
  deliver(notification: Notification, from: Conversation, to: (notification: Notification) => void): void {
    const { method } = notification;
    const params = isObject(notification.params) ? notification.params : {};
    const call = { direction: 'in', kind: 'notification', method, params, revision: from.version } as const;
    const delivered = runMiddleware(this.#host.middleware, call, (changed) =>
      to(changed.params === params ? notification : { ...notification, params: changed.params }),
    );
    this.settle(delivered);
  }

  /** Middleware may be asynchronous; what it throws has no caller. */
  settle(result: unknown): void {
    if (result instanceof Promise) result.catch((error: unknown) => this.#host.onError(error as Error));
  }

  /** Tells what a listener of the caller's wants to hear. */
  tell(notification: Notification): void {
    this.#attempt(() => this.#host.options.onNotification?.(notification));
  }

  #spread(notification: Notification, from: Conversation): void {
    const { extensions, options, peer } = this.#host;
    const change = changeInNotification(notification);
    if (change) this.#host.onChange(change);
    // What a subscription that was replaced still says, its successor says too.
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
