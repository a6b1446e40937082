/** Messages between nodes about sessions: responses to input requests, cancellations, the end of a session. */

import type { Lifecycle, MaybePromise } from './lifecycle.ts';

/** Called with each message for a session. */
export type SessionListener<Message> = (session: string, message: Message) => void;

/**
 * Pub/sub between nodes. `Message` is JSON. Each node has one standing subscription, so that nothing is subscribed per session
 * or per call. Nothing is kept: a message for a node that is gone is lost, and `send` says so.
 */
export interface SessionBus<Message> extends Lifecycle {
  /**
   * Delivers a message to one node, which may be this one. False if that node is gone for good: its streams are then taken over,
   * and its requests get an error. Rejects if the node cannot be reached at the moment.
   */
  send(node: string, session: string, message: Message): MaybePromise<boolean>;
  /** Delivers a message to every node, this one included. */
  broadcast(session: string, message: Message): MaybePromise<void>;
  /**
   * Subscribes a node, until the returned function is called. Resolves when the subscription is in effect: no request of a
   * session is served before.
   */
  listen(node: string, listener: SessionListener<Message>): MaybePromise<() => void>;
}

/** A bus within this process. */
export function memorySessionBus<Message>(): SessionBus<Message> {
  const listeners = new Map<string, SessionListener<Message>>();
  return {
    send(node, session, message) {
      const listener = listeners.get(node);
      listener?.(session, message);
      return listener !== undefined;
    },
    broadcast(session, message) {
      for (const listener of [...listeners.values()]) listener(session, message);
    },
    listen(node, listener) {
      listeners.set(node, listener);
      return () => {
        if (listeners.get(node) === listener) listeners.delete(node);
      };
    },
    close: () => listeners.clear(),
  };
}
