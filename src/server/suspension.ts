/** What ends a run of a handler that will be repeated. */

/** What a question rejects with in a run that ends here. Not an error: the handler will be run again. */
export class Suspension extends Error {
  override readonly name = 'Suspension';
}

/** True for what `await ctx.elicit()` throws to end a run that will be repeated. A `catch` should pass it on. */
export function isSuspension(error: unknown): boolean {
  return error instanceof Suspension;
}
