/** The clock by which sessions and events expire: it goes on evenly when the wall clock is set. */

/** Whole milliseconds since some moment in the past. */
export function monotonicMs(): number {
  return Math.floor(performance.now());
}
