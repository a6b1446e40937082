/** Limits and helpers of `setTimeout` and `setInterval`. */

/** Longest delay of a timer, in milliseconds. Runtimes store delays in 32 bits, and fire timers with longer ones at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Cuts a delay to the longest one. */
export function timerMs(milliseconds: number): number {
  return Math.min(milliseconds, MAX_TIMER_MS);
}

/** Allows the process to exit while this timer runs. No effect for the timers of Workers and browsers, which are numbers. */
export function unref<Timer>(timer: Timer): Timer {
  (timer as { unref?(): void }).unref?.();
  return timer;
}
