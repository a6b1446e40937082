/** The memory that callers make one server object keep, whichever handlers and transports it is served by. */

import { retainedSize } from '../../jsonrpc/retained-size.ts';
import { Pool } from './pool.ts';

/** Bounds of that memory. */
export interface UsageLimits {
  /** Bytes kept for all callers: params of running calls, subscriptions and sessions. Default: 128 MiB. */
  readonly keptBytes: number;
  /** Bytes kept for one caller, while others compete with it for more than half of `keptBytes`. Default: 32 MiB. */
  readonly keptBytesPerCaller: number;
  /** Bytes of responses and streams that clients have not taken yet. Default: 64 MiB. */
  readonly unflushedBytes: number;
}

/** The defaults. Together with the limits of bodies and of events they fit a container of 512 MB. */
export const DEFAULT_USAGE_LIMITS: UsageLimits = {
  keptBytes: 128 * 1024 * 1024,
  keptBytesPerCaller: 32 * 1024 * 1024,
  unflushedBytes: 64 * 1024 * 1024,
};

/** What is kept now. */
export interface Usage {
  readonly kept: Pool;
  readonly unflushed: Pool;
}

/** The account of a new server. */
export function usageOf({ keptBytes, keptBytesPerCaller, unflushedBytes }: UsageLimits): Usage {
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
