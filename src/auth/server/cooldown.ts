/** Keeps from asking again and again for what just failed. */

import { monotonicNow } from '../../timing/monotonic-now.ts';
import type { OnError } from './report.ts';

/** Milliseconds until it is tried again. */
export const COOLDOWN_MS = 10_000;

/** The same task; after a failure it is not run for a while, and the same error comes again. Each failure is reported once. */
export function withCooldown<T>(
  task: (signal: AbortSignal) => Promise<T>,
  report: OnError,
): (signal: AbortSignal) => Promise<T> {
  let failure: { readonly error: unknown; readonly until: number } | undefined;
  return async (signal) => {
    if (failure && monotonicNow() < failure.until) throw failure.error;
    try {
      return await task(signal);
    } catch (error) {
      failure = { error, until: monotonicNow() + COOLDOWN_MS };
      report(error as Error);
      throw error;
    }
  };
}
