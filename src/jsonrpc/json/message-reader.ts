/** Reads the messages of one connection, and counts those that could not be read. */

import { isBatch } from '../message.ts';
import { JSON_LIMITS, type ReceivedLimits, readPayload, readText, SHORTEST_MESSAGE } from './json-limits.ts';
import { type Batch, isUnreadable, type Payload } from './parse.ts';

/**
 * Unreadable messages in a row that are looked at one by one. A server disconnects a client that sends as many; a client
 * then skips text that is too short for a message, since a server that is a program may print anything.
 */
export const MAX_UNREADABLE = 1000;

/** One for each connection or stream. */
export class MessageReader {
  readonly #limits: ReceivedLimits;
  #unreadable = 0;

  constructor(limits: ReceivedLimits = JSON_LIMITS) {
    this.#limits = limits;
  }

  /** How many messages in a row could not be read, each of a batch counted. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Reads one message or batch; undefined if it is skipped. */
  read(content: string | Uint8Array): Payload | undefined {
    if (this.#unreadable >= MAX_UNREADABLE && content.length < SHORTEST_MESSAGE) return undefined;
    const payload = typeof content === 'string' ? readText(content, this.#limits) : readPayload(content, this.#limits);
    this.count(payload);
    return payload;
  }

  /** Counts what was read, or refused, elsewhere. */
  count(payload: Payload): void {
    const unreadable = isBatch(payload)
      ? (payload as Batch).filter(isUnreadable).length
      : Number(isUnreadable(payload));
    this.#unreadable = unreadable > 0 ? this.#unreadable + unreadable : 0;
  }
}
