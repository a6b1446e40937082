/** The journal of a call with several round trips: its input responses and steps. The client carries it in `requestState`. */

import type { InputResponse } from '../../protocol/model/input-requests.ts';

/** An input request in the journal. */
export interface JournaledRequest {
  readonly method: string;
  /** Hash of the request: a response counts only for the request that it was sent for. */
  readonly fingerprint: string;
  /** True if the handler returned the request with `inputRequired`, instead of calling a method such as `ctx.elicit`. */
  readonly viaInputRequired?: true;
}

type JournaledResponse = JournaledRequest & { readonly response: InputResponse };

/** A journal as JSON. */
export interface JournalJson {
  readonly responses: readonly (readonly [string, JournaledResponse])[];
  readonly steps: readonly (readonly [string, { readonly value?: unknown }])[];
  readonly openRequests: readonly (readonly [string, JournaledRequest])[];
  readonly handlerInputs: readonly (readonly [string, InputResponse])[];
  readonly state?: unknown;
  readonly roundTrips: number;
}

/** Input responses, steps and open input requests of one call. */
export class Journal {
  /** Responses to `ctx.elicit`, `ctx.sample` and `ctx.listRoots`, by key. */
  readonly responses: Map<string, JournaledResponse>;
  /** Results of `ctx.step`, by name. */
  readonly steps: Map<string, { readonly value?: unknown }>;
  /** Input requests of the last `input_required` result, by key. */
  readonly openRequests: Map<string, JournaledRequest>;
  /** Responses to requests of `inputRequired`, by key. As untrusted as arguments. */
  readonly handlerInputs: Map<string, InputResponse>;
  /** The option `state` of the last `inputRequired`. */
  state: unknown;
  /** Number of round trips with input requests so far. */
  roundTrips: number;

  /** Restores a journal from `toJSON`. The JSON is not validated: the encryption of `requestState` proves that the server made it. */
  constructor(json?: JournalJson) {
    this.responses = new Map(json?.responses);
    this.steps = new Map(json?.steps);
    this.openRequests = new Map(json?.openRequests);
    this.handlerInputs = new Map(json?.handlerInputs);
    this.state = json?.state;
    this.roundTrips = json?.roundTrips ?? 0;
  }

  /** True if a retry of the call needs no `requestState`. */
  get isEmpty(): boolean {
    const { responses, steps, openRequests, handlerInputs, state } = this;
    return responses.size + steps.size + openRequests.size + handlerInputs.size === 0 && state === undefined;
  }

  /** Records an input response. A response whose key is not in `openRequests` is stored in `handlerInputs`. */
  record(key: string, response: InputResponse): void {
    const request = this.openRequests.get(key);
    if (request && !request.viaInputRequired) this.responses.set(key, { ...request, response });
    else this.handlerInputs.set(key, response);
  }

  toJSON(): JournalJson {
    const { responses, steps, openRequests, handlerInputs, ...rest } = this;
    return {
      responses: [...responses],
      steps: [...steps],
      openRequests: [...openRequests],
      handlerInputs: [...handlerInputs],
      ...rest,
    };
  }
}
