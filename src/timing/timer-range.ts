/** What `setTimeout` and `setInterval` can count to, and timers that keep no process alive. */

/** The longest delay: timers count with 32 bits, and anything longer fires at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** The delay, or the longest that a timer can count to. */
export function timerMs(milliseconds: number): number {
  return Math.min(milliseconds, MAX_TIMER_MS);
}

/** Lets the process exit while this timer runs. Timers of Workers and browsers are numbers and need no such call. */
export function unref<Timer>(timer: Timer): Timer {
  (timer as { unref?(): void }).unref?.();
  return timer;
}
