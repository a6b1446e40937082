/** `inputRequired`, the return value of a handler that requires input, and `Suspension`, the error that suspends a handler. */

import type { InputRequest } from '../../protocol/model/input-requests.ts';

/** Value that a handler returns to request input from the client. Made by `inputRequired`. */
export class InputRequired {
  readonly requests: ReadonlyMap<string, InputRequest>;
  readonly state: unknown;

  constructor(requests: ReadonlyMap<string, InputRequest>, state: unknown) {
    this.requests = requests;
    this.state = state;
  }
}

/**
 * Makes the return value of a handler that requires input. The handler runs again, with the responses in `ctx.inputResponses`,
 * keyed like `requests`, and with `state` in `ctx.state`. Clients get `state` encrypted. Without `requests`, they only retry.
 */
export function inputRequired(options: {
  requests?: Readonly<Record<string, InputRequest>>;
  state?: unknown;
}): InputRequired {
  const requests = new Map(Object.entries(options.requests ?? {}));
  if (requests.size === 0 && options.state === undefined) {
    throw new TypeError('inputRequired needs "requests", "state" or both');
  }
  return new InputRequired(requests, options.state);
}

/** Error with which `ctx.elicit` and similar methods suspend a handler. The handler runs again with the input response. */
export class Suspension extends Error {
  override readonly name = 'Suspension';
}

/** True for the error with which `await ctx.elicit()` suspends a handler. A `catch` block should rethrow this error. */
export function isSuspension(error: unknown): boolean {
  return error instanceof Suspension;
}
