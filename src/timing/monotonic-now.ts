/**
 * Returns the time in milliseconds since an arbitrary moment. Used for durations and deadlines, since the wall clock may be
 * changed.
 */
export function monotonicNow(): number {
  return performance.now();
}
