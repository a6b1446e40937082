/** `Journal`: input responses and step values of a multi round-trip request. Clients get it encrypted, as `requestState`. */

import type { InputResponse } from '../../protocol/model/input-requests.ts';

export interface JournaledRequest {
  readonly method: string;
  /** Hash of the input request. When the handler runs again, only an input request with the same hash gets the response. */
  readonly fingerprint: string;
  /** True if the handler returned the input request with `inputRequired`, instead of calling a method such as `ctx.elicit`. */
  readonly viaInputRequired?: true;
}

type JournaledResponse = JournaledRequest & { readonly response: InputResponse };

export interface JournalJson {
  readonly responses: readonly (readonly [string, JournaledResponse])[];
  readonly steps: readonly (readonly [string, { readonly value?: unknown }])[];
  readonly openRequests: readonly (readonly [string, JournaledRequest])[];
  readonly handlerInputs: readonly (readonly [string, InputResponse])[];
  readonly state?: unknown;
  readonly roundTrips: number;
}

export class Journal {
  /** Responses to input requests of `ctx.elicit`, `ctx.sample` and similar methods, by the key of the input request. */
  readonly responses: Map<string, JournaledResponse>;
  /** Values of completed steps (`ctx.step`), keyed by step name. */
  readonly steps: Map<string, { readonly value?: unknown }>;
  /** Input requests of the last round trip, by their key, to validate the responses in the next request. */
  readonly openRequests: Map<string, JournaledRequest>;
  /** Responses to input requests of `inputRequired`, by the key of the input request. Untrusted, like arguments. */
  readonly handlerInputs: Map<string, InputResponse>;
  /** The option `state` of the last `inputRequired` that the handler returned. */
  state: unknown;
  /** Number of round trips with input requests so far. The call fails if the number exceeds `limits.roundTrips`. */
  roundTrips: number;

  /** Restores a journal from its JSON, without validation, because only the server can encrypt a `requestState`. */
  constructor(json?: JournalJson) {
    this.responses = new Map(json?.responses);
    this.steps = new Map(json?.steps);
    this.openRequests = new Map(json?.openRequests);
    this.handlerInputs = new Map(json?.handlerInputs);
    this.state = json?.state;
    this.roundTrips = json?.roundTrips ?? 0;
  }

  /** True if the client can retry the call without a `requestState`. */
  get isEmpty(): boolean {
    const { responses, steps, openRequests, handlerInputs, state } = this;
    return responses.size + steps.size + openRequests.size + handlerInputs.size === 0 && state === undefined;
  }

  /** Records a response to `ctx.elicit` or a similar method in `responses`, and every other response in `handlerInputs`. */
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
