/** How much of an unforeseen error leaves the server. */

/**
 * What a client is told of an error that is neither a `ToolError` nor an `RpcError`: `hidden` sends a reference by which
 * the error is found in `onError`, `messages` sends the error's message. Stacks, causes and properties are never sent.
 */
export type ErrorDisclosure = 'hidden' | 'messages';

/** Throws a TypeError if the option `errors` has another value. */
export function checkErrors(where: string, errors: unknown): void {
  if (errors === undefined || errors === 'hidden' || errors === 'messages') return;
  throw new TypeError(`${where}: errors must be "hidden" or "messages"`);
}
