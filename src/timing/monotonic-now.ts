/** Returns milliseconds since an arbitrary moment, for durations and deadlines. Never adjusted, unlike the wall clock. */
export function monotonicNow(): number {
  return performance.now();
}
