/** `inputRequired`, with which a handler returns input requests, and `Suspension`, which ends a run that awaits input. */

import type { InputRequest } from '../../protocol/model/input-requests.ts';

/** The return value of a handler that requires input. `inputRequired` makes it. */
export class InputRequired {
  readonly requests: ReadonlyMap<string, InputRequest>;
  readonly state: unknown;

  constructor(requests: ReadonlyMap<string, InputRequest>, state: unknown) {
    this.requests = requests;
    this.state = state;
  }
}

/**
 * Makes the return value of a handler that requires input. The handler runs again with the responses in `ctx.inputResponses`,
 * by the same keys, and with `state` in `ctx.state`. The client gets the state encrypted. Without `requests` it only retries.
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

/** The rejection of an input request that suspends the handler. The handler runs again when the response has arrived. */
export class Suspension extends Error {
  override readonly name = 'Suspension';
}

/** True for the error with which `await ctx.elicit()` suspends a handler. A `catch` around it should throw it again. */
export function isSuspension(error: unknown): boolean {
  return error instanceof Suspension;
}
