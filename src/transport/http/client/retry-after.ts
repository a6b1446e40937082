/** Parses the header `Retry-After` (RFC 9110, section 10.2.3). */

/** Returns the delay from now, in milliseconds; undefined if the header is missing or malformed. */
export function retryAfterMs(value: string | undefined, now: number = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  // `Date.parse` also accepts other formats. HTTP dates begin with the day of the week.
  const at = /^[A-Z][a-z]{2}/.test(value.trim()) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}
