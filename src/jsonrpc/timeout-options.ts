/** Timeouts of outgoing requests, and their defaults. The input requests of a server have no idle timeout. */

/** Timeouts of a call, in milliseconds. `Infinity` disables a timeout. */
export interface TimeoutOptions {
  /** Milliseconds without a response or progress after which the call fails. Default: 300 000 (5 minutes). */
  readonly timeout?: number | undefined;
  /** Milliseconds after which the call fails even if progress arrives. Default: 1 800 000 (30 minutes). */
  readonly maxTimeout?: number | undefined;
}

export const DEFAULT_TIMEOUT: number = 5 * 60_000;
/** Default of `TimeoutOptions.maxTimeout`, in milliseconds. */
export const DEFAULT_MAXIMUM: number = 30 * 60_000;
