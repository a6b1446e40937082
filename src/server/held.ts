/** What arrives too early: for a session whose handshake is not through, or while a part is loaded. It goes on in its order. */

import { isBatch, isRequest } from '../jsonrpc/message.ts';
import type { Payload } from '../jsonrpc/parse.ts';
import { claimedVersion } from '../protocol/claim.ts';

/** Holds it: for a session no more messages than may be worked on at the same time. */
export class Held {
  readonly #limit: number;
  #waiting: Payload[] | undefined;
  #isForAll = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Begins to hold what belongs to the session, or everything there is; false if that goes on already. */
  begin(isForAll = false): boolean {
    if (this.#waiting) return false;
    this.#waiting = [];
    this.#isForAll = isForAll;
    return true;
  }

  /** True for what has to wait. */
  takes(payload: Payload): boolean {
    if (!this.#waiting) return false;
    const waits = this.#isForAll || (this.#waiting.length < this.#limit && belongsToSession(payload));
    if (waits) this.#waiting.push(payload);
    return waits;
  }

  /** A request that was cancelled need not begin. */
  forget(id: unknown): void {
    this.#waiting = this.#waiting?.filter((payload) => !isRequestNamed(payload, id));
  }

  /** Holds no longer; gives what waited. */
  end(): readonly Payload[] {
    const waited = this.#waiting ?? [];
    this.#waiting = undefined;
    return waited;
  }
}

// Calls of a session and news for it; not answers, not cancellations, not what brings its own revision.
function belongsToSession(payload: Payload): boolean {
  if (isBatch(payload)) return true;
  if (payload instanceof Error || !('method' in payload) || payload.method === 'notifications/cancelled') return false;
  return claimedVersion(payload.params) === undefined;
}

function isRequestNamed(payload: Payload, id: unknown): boolean {
  return !isBatch(payload) && !(payload instanceof Error) && isRequest(payload) && payload.id === id;
}
