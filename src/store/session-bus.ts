/** Delivers messages about sessions between nodes: input responses, cancellations, the end of a session. */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Creates the unique id of a node, that is of one serving process: 16 hexadecimal digits. */
export function newNodeId(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(-16);
}

/** Listener of a bus: gets each message, and the id of its session. */
export type SessionListener<Message> = (session: string, message: Message) => void;

/**
 * Pub/sub between nodes. `Message` is JSON. Each node subscribes once, not per session or call. Messages are not stored: one for
 * a node that does not listen is lost, and `send` returns false.
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
   * Subscribes a node, until the returned function is called. Resolves when the subscription is active; requests of sessions
   * wait for that.
   */
  listen(node: string, listener: SessionListener<Message>): MaybePromise<() => void>;
}

/** Creates a bus within this process. */
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
