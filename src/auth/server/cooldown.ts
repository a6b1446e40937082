/** `withCooldown`: pauses a task after a failure. */

import { monotonicNow } from '../../timing/monotonic-now.ts';
import type { OnError } from './report.ts';

/** Pause after a failure, in milliseconds. */
export const COOLDOWN_MS = 10_000;

/** Wraps a task: after a failure, calls reject with the same error for 10 seconds. Each failure is reported once. */
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
