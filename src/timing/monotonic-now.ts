/** Returns milliseconds since an arbitrary moment. For durations and deadlines, since the wall clock may be changed. */
export function monotonicNow(): number {
  return performance.now();
}
