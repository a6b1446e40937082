/** `inputRequired`: a handler returns its input requests and runs again with the responses. `Suspension` ends such a run. */

import type { InputRequest } from '../../protocol/model/input-requests.ts';

/** The return value of a handler that requires input. Made by `inputRequired`. */
export class InputRequired {
  readonly requests: ReadonlyMap<string, InputRequest>;
  readonly state: unknown;

  constructor(requests: ReadonlyMap<string, InputRequest>, state: unknown) {
    this.requests = requests;
    this.state = state;
  }
}

/**
 * Returns input requests from a handler, which runs again with the responses in `ctx.inputResponses`, under the same keys, and
 * with `state` in `ctx.state`. The client carries the state encrypted. Without `requests` the client only retries the call.
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

/** Rejection of an input request that suspends the handler. The handler will run again with the response. */
export class Suspension extends Error {
  override readonly name = 'Suspension';
}

/** True for the error that `await ctx.elicit()` throws to suspend a handler. A `catch` around it should throw it again. */
export function isSuspension(error: unknown): boolean {
  return error instanceof Suspension;
}
