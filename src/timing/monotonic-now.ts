/** The clock for durations and deadlines. The wall clock can be set meanwhile; this one cannot. */

/** Milliseconds since an arbitrary moment of the past; never goes backwards. */
export function monotonicNow(): number {
  return performance.now();
}
