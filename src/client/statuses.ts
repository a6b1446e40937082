/** What an HTTP status says that comes in place of an answer. */

/** About the moment: the same request may be answered later. */
export const TRY_AGAIN: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** About who asks, or when: they say nothing of what was asked, whatever their body says. */
export const NO_ANSWERS: ReadonlySet<number> = new Set([401, 403, 408, 425, 429, 503]);

/** True if asking again leads to the same. */
export function isFinalStatus(status: number): boolean {
  return status < 500 && !TRY_AGAIN.has(status);
}
