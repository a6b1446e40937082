/** `Usage`: counts the memory that a server uses for its callers, over all transports. */

import { retainedSize } from '../../jsonrpc/json/retained-size.ts';
import type { Limits } from './default-limits.ts';
import { type CallerRef, Pool } from './pool.ts';

export interface Usage {
  /** Bytes of running calls, subscriptions and sessions. Limited by `limits.keptBytes`. */
  readonly kept: Pool;
  /** Bytes of responses and stream events that clients have not read yet. Limited by `limits.unflushedBytes`. */
  readonly unflushed: Pool;
}

export function usageOf({ keptBytes, keptBytesPerCaller, unflushedBytes }: Limits): Usage {
  return { kept: new Pool(keptBytes, keptBytesPerCaller), unflushed: new Pool(unflushedBytes) };
}

export const KEPT_BYTES_EXCEEDED = 'Server memory limit reached (limits.keptBytes): retry later';

// Estimated bytes of a running call besides its params and HTTP headers: context, promises and state of the transport.
const CALL_BYTES = 6 * 1024;

export function callBytes(params: unknown): number {
  return CALL_BYTES + retainedSize(params);
}

/** Bytes of one caller that count against `limits.keptBytes` from construction until `release`. */
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

  /** Adds `bytes` to the count; a negative number frees bytes. Returns false and adds nothing if a limit would be exceeded. */
  grow(bytes: number): boolean {
    if (bytes > 0 && !this.#pool.hasRoom({ caller: this.#caller }, bytes)) return false;
    if (bytes > 0) this.#pool.take(this.#caller, bytes);
    else this.#pool.release(this.#caller, -bytes);
    this.#bytes += bytes;
    return true;
  }

  /** Frees all counted bytes now, or, if the promise `after` is given, when it has settled. */
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

export type RunningCalls = Pick<Pool, 'take' | 'release'>;

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

  /** Counts a running request or notification, and the memory of its params, until the returned `KeptBytes` is released. */
  begin(params: unknown): KeptBytes {
    this.#running?.take(this.caller);
    const release = this.#running && ((): void => this.#running?.release(this.caller));
    return new KeptBytes(this.#usage, this.caller, callBytes(params), release);
  }

  /** Adds `bytes` to the session's memory count; a negative number frees bytes. Returns false at the limit or after `close`. */
  grow(bytes: number): boolean {
    return !this.#isClosed && this.#session.grow(bytes);
  }

  close(): void {
    this.#isClosed = true;
    this.#session.release();
  }
}
