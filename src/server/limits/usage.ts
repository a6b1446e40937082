/** Accounts of the memory that a server keeps for its callers, over all transports. */

import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import type { Limits } from './limits.ts';
import { type CallerRef, Pool } from './pool.ts';

/** The bytes in use. */
export interface Usage {
  /** Params of running calls, subscriptions and sessions: `limits.keptBytes`. */
  readonly kept: Pool;
  /** Responses and stream events that clients have not read: `limits.unflushedBytes`. */
  readonly unflushed: Pool;
}

/** Creates the account of a server. */
export function usageOf({ keptBytes, keptBytesPerCaller, unflushedBytes }: Limits): Usage {
  return { kept: new Pool(keptBytes, keptBytesPerCaller), unflushed: new Pool(unflushedBytes) };
}

/** The error message of a request that is refused because of `limits.keptBytes`. */
export const KEPT_BYTES_EXCEEDED = 'Server memory limit reached (limits.keptBytes): retry later';

// The context of a call, its promises and the state of its transport, without the headers of an HTTP request.
const CALL_BYTES = 6 * 1024;

/** The bytes to count for an asynchronous call with these params. */
export function callBytes(params: unknown): number {
  return CALL_BYTES + retainedSize(params);
}

/** Counts bytes for a caller until `release` is called. */
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

  /** Counts more bytes; negative to count fewer. False, and no change, if there is no room. */
  grow(bytes: number): boolean {
    if (bytes > 0 && !this.#pool.hasRoom({ caller: this.#caller }, bytes)) return false;
    if (bytes > 0) this.#pool.take(this.#caller, bytes);
    else this.#pool.release(this.#caller, -bytes);
    this.#bytes += bytes;
    return true;
  }

  /** Releases all bytes; with a promise, when that has settled. */
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

/** Counts the running calls of all connections of a transport that limits them. */
export type RunningCalls = Pick<Pool, 'take' | 'release'>;

/** The account of one connection. */
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

  /** True if another message can be handled. */
  get hasRoom(): boolean {
    return this.#usage.kept.hasRoom(this, 0);
  }

  /** Counts a running message with these params until the returned account is released. */
  begin(params: unknown): KeptBytes {
    this.#running?.take(this.caller);
    const release = this.#running && ((): void => this.#running?.release(this.caller));
    return new KeptBytes(this.#usage, this.caller, callBytes(params), release);
  }

  /** Counts bytes of the session; negative to release them. False if there is no room. */
  grow(bytes: number): boolean {
    return !this.#isClosed && this.#session.grow(bytes);
  }

  close(): void {
    this.#isClosed = true;
    this.#session.release();
  }
}
