/** `Retry-After`: when a server that is too busy wants to be asked again. */

/** Milliseconds from now; undefined if the header is absent or says nothing that can be used. */
export function retryAfterMs(value: string | undefined, now: number = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  // HTTP dates only: they begin with the day of the week.
  const at = /^[A-Z][a-z]{2}/.test(value.trim()) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}
