/** Classification of HTTP error statuses. */

/** Temporary 4xx statuses: the same request can succeed later. */
export const TRY_AGAIN: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Statuses about authorization or load. A JSON-RPC error in their body is not the response to the request. */
export const NO_ANSWERS: ReadonlySet<number> = new Set([401, 403, 408, 425, 429, 503]);

/** Returns true if the same request would fail again. */
export function isFinalStatus(status: number): boolean {
  return status < 500 && !TRY_AGAIN.has(status);
}
