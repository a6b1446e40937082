/** Limits and helpers of `setTimeout` and `setInterval`. */

/** Maximum delay of a timer, in milliseconds. Runtimes store delays in 32 bits, and fire timers with longer delays at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Limits a delay to `MAX_TIMER_MS`. */
export function timerMs(milliseconds: number): number {
  return Math.min(milliseconds, MAX_TIMER_MS);
}

/** Allows the process to exit while this timer runs. No effect in Workers and browsers, whose timers are numbers. */
export function unref<Timer>(timer: Timer): Timer {
  (timer as { unref?(): void }).unref?.();
  return timer;
}
