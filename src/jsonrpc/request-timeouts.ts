/** Timeouts of requests that this side sends, and their defaults. */

/** Timeouts of a call, in milliseconds. `Infinity` disables one of them. */
export interface TimeoutOptions {
  /** Milliseconds without a response or progress after which the call fails. Progress restarts it. Default: 5 minutes. */
  readonly timeout?: number | undefined;
  /** Milliseconds after which the call fails even if progress arrives. Default: 30 minutes. */
  readonly maxTimeout?: number | undefined;
}

/** Timeouts of requests that stay open until they are ended, such as subscriptions. */
export const NO_TIMEOUT: TimeoutOptions = { timeout: Number.POSITIVE_INFINITY, maxTimeout: Number.POSITIVE_INFINITY };
/** Default of `TimeoutOptions.timeout`, in milliseconds. */
export const DEFAULT_TIMEOUT: number = 5 * 60_000;
/** Default of `TimeoutOptions.maxTimeout`, in milliseconds. */
export const DEFAULT_MAXIMUM: number = 30 * 60_000;
