/** Counts the memory that a server uses for its callers, over all transports, in bytes. */

import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import type { Limits } from './limits.ts';
import { type CallerRef, Pool } from './pool.ts';

/** The memory that a server uses for its callers, in bytes. */
export interface Usage {
  /** Bytes of running calls, subscriptions and sessions. Limited by `limits.keptBytes`. */
  readonly kept: Pool;
  /** Bytes of responses and stream events that clients have not read yet. Limited by `limits.unflushedBytes`. */
  readonly unflushed: Pool;
}

/** Makes the counters of a server from its limits. */
export function usageOf({ keptBytes, keptBytesPerCaller, unflushedBytes }: Limits): Usage {
  return { kept: new Pool(keptBytes, keptBytesPerCaller), unflushed: new Pool(unflushedBytes) };
}

/** The error message of a request that is refused because of `limits.keptBytes`. */
export const KEPT_BYTES_EXCEEDED = 'Server memory limit reached (limits.keptBytes): retry later';

// Estimated bytes of a running call besides its params: its context, its promises and the state of its transport. Headers of an
// HTTP request are not included.
const CALL_BYTES = 6 * 1024;

/** Returns the bytes to count for a running call with these params. */
export function callBytes(params: unknown): number {
  return CALL_BYTES + retainedSize(params);
}

/** Counts bytes against `limits.keptBytes` for one caller, from its construction until `release`. */
export class KeptBytes {
  readonly #pool: Pool;
  readonly #caller: string;
  readonly #onRelease: (() => void) | undefined;
  #bytes: number;

  constructor({ kept }: Usage, caller: string, bytes: number, onRelease?: () => void) {
    this.#pool = kept;
    this.#caller = caller;
    this.#bytes = bytes;
    this.#onRelease = onRelease;
    kept.take(caller, bytes);
  }

  /** Counts `bytes` more, or fewer if negative. Returns false, and counts nothing, if there is no room for them. */
  grow(bytes: number): boolean {
    if (bytes > 0 && !this.#pool.hasRoom({ caller: this.#caller }, bytes)) return false;
    if (bytes > 0) this.#pool.take(this.#caller, bytes);
    else this.#pool.release(this.#caller, -bytes);
    this.#bytes += bytes;
    return true;
  }

  /** Stops counting the bytes: now, or when the promise `after` has settled. */
  release(after?: Promise<unknown>): void {
    if (after) {
      const release = (): void => this.release();
      after.then(release, release);
      return;
    }
    this.#pool.release(this.#caller, this.#bytes);
    this.#bytes = 0;
    this.#onRelease?.();
  }
}

/** Counts running calls per caller, for a transport that limits them over all its connections. */
export type RunningCalls = Pick<Pool, 'take' | 'release'>;

/** Counts the memory and the running calls of one connection. */
export class ConnectionUsage implements CallerRef {
  readonly caller: string;
  readonly #usage: Usage;
  readonly #running: RunningCalls | undefined;
  readonly #session: KeptBytes;
  #isClosed = false;

  constructor(usage: Usage, caller: string, running: RunningCalls | undefined) {
    this.caller = caller;
    this.#usage = usage;
    this.#running = running;
    this.#session = new KeptBytes(usage, caller, 0);
  }

  /** True if `limits.keptBytes` allows the caller to start another call. */
  get hasRoom(): boolean {
    return this.#usage.kept.hasRoom(this, 0);
  }

  /** Counts a running request or notification with these params until the returned `KeptBytes` is released. */
  begin(params: unknown): KeptBytes {
    this.#running?.take(this.caller);
    const release = this.#running && ((): void => this.#running?.release(this.caller));
    return new KeptBytes(this.#usage, this.caller, callBytes(params), release);
  }

  /** Counts `bytes` more for the session, or fewer if negative. Returns false if there is no room, or after `close`. */
  grow(bytes: number): boolean {
    return !this.#isClosed && this.#session.grow(bytes);
  }

  close(): void {
    this.#isClosed = true;
    this.#session.release();
  }
}
