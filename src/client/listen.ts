/** `subscriptions/listen` of extensions, separate from the subscription for watches. */

import { callGuarded } from '../jsonrpc/errors.ts';
import { isObject, type Notification, type Params } from '../jsonrpc/message.ts';
import { anySignal } from '../timing/abort-signals.ts';
import { ACKNOWLEDGE_MS, ACKNOWLEDGED, endedByServer, unacknowledged } from './acknowledging.ts';
import type { Subscription } from './extension.ts';

export interface ListenHost {
  /** Sends the request and passes its notifications to `onNotice`. Settles when the request has ended. */
  open(params: Params, onNotice: (notification: Notification) => void, signal: AbortSignal): Promise<unknown>;
  onError(error: Error): void;
}

/** Sends `subscriptions/listen`. Resolves when the server acknowledges it; rejects if it fails or after 30 s. */
export function listen(
  host: ListenHost,
  notifications: Readonly<Record<string, unknown>>,
  listener: (method: string, params: Params) => void,
  givenUp?: AbortSignal,
): Promise<Subscription> {
  return new Promise((resolve, reject) => {
    const closing = new AbortController();
    const { signal, release } = anySignal([closing.signal, givenUp]);
    let isOver = false;
    let onClosed: () => void = () => {};
    const closed = new Promise<void>((settle) => {
      onClosed = settle;
    });
    const end = (error: Error): void => {
      isOver = true;
      clearTimeout(patience);
      release();
      // No effect if the subscription was acknowledged.
      reject(error);
      onClosed();
    };
    const patience = setTimeout(() => {
      closing.abort();
      end(unacknowledged());
    }, ACKNOWLEDGE_MS);
    const hear = ({ method, params }: Notification): void => {
      // Asynchronous middleware can deliver a notification after the end of the subscription.
      if (isOver || signal.aborted) return;
      const told = isObject(params) ? params : {};
      if (method === ACKNOWLEDGED) acknowledge(told['notifications']);
      else callGuarded(() => listener(method, told), host.onError);
    };
    const acknowledge = (honoured: unknown): void => {
      clearTimeout(patience);
      resolve({ accepted: isObject(honoured) ? honoured : {}, closed, close: () => closing.abort() });
    };
    host.open({ notifications }, hear, signal).then(() => end(endedByServer()), end);
  });
}
