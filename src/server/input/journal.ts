/** `Journal`: the input responses and steps of a call with several round trips. The client carries it in `requestState`. */

import type { InputResponse } from '../../protocol/model/input-requests.ts';

/** An input request, as the journal records it. */
export interface JournaledRequest {
  readonly method: string;
  /** Hash of the input request. A response is used only for a request with the same hash. */
  readonly fingerprint: string;
  /** True if the handler returned the input request with `inputRequired`, instead of calling a method such as `ctx.elicit`. */
  readonly viaInputRequired?: true;
}

type JournaledResponse = JournaledRequest & { readonly response: InputResponse };

/** A journal as a JSON value, for `requestState`. */
export interface JournalJson {
  readonly responses: readonly (readonly [string, JournaledResponse])[];
  readonly steps: readonly (readonly [string, { readonly value?: unknown }])[];
  readonly openRequests: readonly (readonly [string, JournaledRequest])[];
  readonly handlerInputs: readonly (readonly [string, InputResponse])[];
  readonly state?: unknown;
  readonly roundTrips: number;
}

/** The input responses, steps and open input requests of one call. */
export class Journal {
  /** Responses to `ctx.elicit`, `ctx.sample` and `ctx.listRoots`, by key of the input request. */
  readonly responses: Map<string, JournaledResponse>;
  /** Values of the steps (`ctx.step`) that have completed, by name. */
  readonly steps: Map<string, { readonly value?: unknown }>;
  /** Input requests of the last `input_required` result, by key. */
  readonly openRequests: Map<string, JournaledRequest>;
  /** Responses to input requests of `inputRequired`, by key. They are as untrusted as the arguments of the call. */
  readonly handlerInputs: Map<string, InputResponse>;
  /** The option `state` of the last `inputRequired`. */
  state: unknown;
  /** Number of round trips with input requests so far. */
  roundTrips: number;

  /** Restores a journal from its JSON. The JSON is not validated, since only the server can encrypt a `requestState`. */
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

  /** Records an input response. A response whose key is not that of an open input request is stored in `handlerInputs`. */
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
