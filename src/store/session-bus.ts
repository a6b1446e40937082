/** Delivers messages about sessions between nodes: input responses, cancellations, the end of a session. */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Creates a random id of 16 hexadecimal digits for a node, which is one serving process. */
export function newNodeId(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(-16);
}

export type SessionListener<Message> = (session: string, message: Message) => void;

/**
 * Pub/sub of messages about sessions between nodes. `Message` is JSON. Each node subscribes once, for all sessions. Messages
 * are not stored: a message to a node without a subscription is lost.
 */
export interface SessionBus<Message> extends Lifecycle {
  /**
   * Delivers a message to one node, which can be the sender. Returns false if the node is gone for good: its streams are then
   * taken over, and its requests get an error. Rejects if the node is only temporarily unreachable.
   */
  send(node: string, session: string, message: Message): MaybePromise<boolean>;
  /** Delivers a message to every node, including the sender. */
  broadcast(session: string, message: Message): MaybePromise<void>;
  /** Subscribes a node. Resolves to an unsubscribe function when the subscription is active. Sessions are served only then. */
  listen(node: string, listener: SessionListener<Message>): MaybePromise<() => void>;
}

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
