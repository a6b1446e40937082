/** The memory that callers make one server object keep, whichever handlers and transports it is served by. */

import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import type { Limits } from './limits.ts';
import { type CallerRef, Pool } from './pool.ts';

/** What is kept now. */
export interface Usage {
  readonly kept: Pool;
  readonly unflushed: Pool;
}

/** The account of a new server. */
export function usageOf({ keptBytes, keptBytesPerCaller, unflushedBytes }: Limits): Usage {
  return { kept: new Pool(keptBytes, keptBytesPerCaller), unflushed: new Pool(unflushedBytes) };
}

/** The error of a request that is refused because `keptBytes` is used up. */
export const KEEPS_TOO_MUCH = 'The server keeps too much for its callers at the moment: try again later';

// The context of a call, its promises and what its transport keeps for it, without the headers of an HTTP request.
const CALL_BYTES = 6 * 1024;

/** The bytes counted for a call that runs on after the turn in which it arrived. */
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

  /** Changes how much is counted. False, and no change, if there is no room for more. */
  resize(bytes: number): boolean {
    const more = bytes - this.#bytes;
    if (more > 0 && !this.#pool.hasRoom({ caller: this.#caller }, more)) return false;
    if (more > 0) this.#pool.take(this.#caller, more);
    else this.#pool.release(this.#caller, -more);
    this.#bytes = bytes;
    return true;
  }

  /** Counts nothing any more; with a promise, once that has settled. */
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

/** Counts the running calls of all connections of a transport, where it bounds them. */
export interface RunningCalls {
  take(caller: string): void;
  release(caller: string): void;
}

/** The account of a connection, until it is closed. */
export class ConnectionUsage implements CallerRef {
  readonly caller: string;
  readonly #usage: Usage;
  readonly #running: RunningCalls | undefined;
  readonly #session: KeptBytes;
  #bytes = 0;
  #isClosed = false;

  constructor(usage: Usage, caller: string, running: RunningCalls | undefined) {
    this.caller = caller;
    this.#usage = usage;
    this.#running = running;
    this.#session = new KeptBytes(usage, caller, 0);
  }

  /** True if another message can be worked on. */
  get hasRoom(): boolean {
    return this.#usage.kept.hasRoom(this, 0);
  }

  /** Counts a message with these params as being worked on, until the returned account is released. */
  begin(params: unknown): KeptBytes {
    this.#running?.take(this.caller);
    const release = this.#running && ((): void => this.#running?.release(this.caller));
    return new KeptBytes(this.#usage, this.caller, callBytes(params), release);
  }

  /** Counts bytes that stay with the connection, or no longer if negative. False if there is no room for them. */
  grow(bytes: number): boolean {
    if (this.#isClosed || !this.#session.resize(this.#bytes + bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#session.release();
  }
}
