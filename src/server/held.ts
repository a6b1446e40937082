/** What arrives too early: while a part is loaded, or for a session whose handshake is not through. It goes on in its order. */

import { isBatch, isObject, isRequest } from '../jsonrpc/message.ts';
import { callIn, type Payload } from '../jsonrpc/parse.ts';
import { retainedSize } from '../jsonrpc/retained-size.ts';
import { claimedVersion } from '../protocol/claim.ts';

const CANCELLED = 'notifications/cancelled';

/** Holds back what it is for: everything, unless it is told otherwise. */
export class Held {
  readonly #isFor: (payload: Payload) => boolean;
  readonly #grow: (bytes: number) => boolean;
  #waiting: Payload[] | undefined;

  /** `grow` counts the bytes of what waits, negative ones when it waits no longer; false if there is no room for them. */
  constructor(isFor: (payload: Payload) => boolean = () => true, grow: (bytes: number) => boolean = () => true) {
    this.#isFor = isFor;
    this.#grow = grow;
  }

  /** Holds, or lets in what waited. */
  get isBusy(): boolean {
    return this.#waiting !== undefined;
  }

  /** How much waits. */
  get size(): number {
    return this.#waiting?.length ?? 0;
  }

  /** Begins to hold; false if that goes on already. */
  begin(): boolean {
    if (this.#waiting) return false;
    this.#waiting = [];
    return true;
  }

  /** True for what has to wait, and for what takes back something that waits: neither need begin then. */
  takes(payload: Payload): boolean {
    if (!this.#waiting) return false;
    if (this.#forgets(payload)) return true;
    const waits = this.#isFor(payload) && this.#grow(retainedSize(payload));
    if (waits) this.#waiting.push(payload);
    return waits;
  }

  /** Gives what waits one by one, also what comes meanwhile; when there is none, it holds no longer. */
  next(): Payload | undefined {
    const payload = this.#waiting?.shift();
    if (payload) this.#grow(-retainedSize(payload));
    else this.#waiting = undefined;
    return payload;
  }

  /** Holds no longer; gives what waited. */
  end(): readonly Payload[] {
    const waited = this.#waiting ?? [];
    this.#waiting = undefined;
    return waited;
  }

  #forgets(payload: Payload): boolean {
    const id = idTakenBack(payload);
    const at = id === undefined ? -1 : (this.#waiting ?? []).findIndex((one) => isRequestNamed(one, id));
    for (const forgotten of at < 0 ? [] : (this.#waiting?.splice(at, 1) ?? [])) this.#grow(-retainedSize(forgotten));
    return at >= 0;
  }
}

/** True for calls of a session and news for it; not for answers, cancellations, and what brings its own revision. */
export function belongsToSession(payload: Payload): boolean {
  const call = callIn(payload);
  if (!call) return isBatch(payload);
  return call.method !== CANCELLED && claimedVersion(call.params) === undefined;
}

function idTakenBack(payload: Payload): unknown {
  const { method, params } = callIn(payload) ?? {};
  return method === CANCELLED && isObject(params) ? params['requestId'] : undefined;
}

// The handshake cannot be taken back.
function isRequestNamed(payload: Payload, id: unknown): boolean {
  const call = callIn(payload);
  return call !== undefined && isRequest(call) && call.id === id && call.method !== 'initialize';
}
