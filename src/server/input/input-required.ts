/** `inputRequired`: a handler returns its input requests and runs again with the responses. `Suspension` ends such a run. */

import type { InputRequest } from '../../protocol/model/input-requests.ts';

/** What a handler returns when it needs answers before it can go on. */
export class InputRequired {
  readonly requests: ReadonlyMap<string, InputRequest>;
  readonly state: unknown;

  constructor(requests: ReadonlyMap<string, InputRequest>, state: unknown) {
    this.requests = requests;
    this.state = state;
  }
}

/**
 * Asks the client and ends this run of the handler. It is entered again with the answers in `ctx.inputResponses`, under the
 * same keys, and with `state` in `ctx.state`; on the wire the state is sealed. With no requests at all the client
 * simply calls again.
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

/** What a question rejects with in a run that ends here. Not an error: the handler will be run again. */
export class Suspension extends Error {
  override readonly name = 'Suspension';
}

/** True for what `await ctx.elicit()` throws to end a run that will be repeated. A `catch` should pass it on. */
export function isSuspension(error: unknown): boolean {
  return error instanceof Suspension;
}
