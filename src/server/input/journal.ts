/** What has happened so far in a call that is answered in several rounds. It travels sealed, in `requestState`. */

import type { InputResponse } from '../../protocol/model/input-requests.ts';

/** A question that was put to the client, as the journal remembers it. */
export interface JournaledRequest {
  readonly method: string;
  readonly fingerprint: string;
  /** It was returned with `inputRequired`, not asked with `ctx.elicit` and friends. */
  readonly viaInputRequired?: true;
}

type JournaledResponse = JournaledRequest & { readonly answer: InputResponse };

/** A journal as it stands in a sealed state. */
export interface JournalJson {
  readonly responses: readonly (readonly [string, JournaledResponse])[];
  readonly steps: readonly (readonly [string, { readonly value?: unknown }])[];
  readonly openRequests: readonly (readonly [string, JournaledRequest])[];
  readonly handlerInputs: readonly (readonly [string, InputResponse])[];
  readonly state?: unknown;
  readonly roundTrips: number;
}

/** Answers, steps and open questions of one call. */
export class Journal {
  /** Answers to questions asked with `ctx.elicit` and friends; each counts only for the question it was given to. */
  readonly responses: Map<string, JournaledResponse> = new Map();
  /** Results of `ctx.step`. */
  readonly steps: Map<string, { readonly value?: unknown }> = new Map();
  /** Questions of the last round. */
  readonly openRequests: Map<string, JournaledRequest> = new Map();
  /** Answers to questions a handler returned; not trusted more than arguments are. */
  readonly handlerInputs: Map<string, InputResponse> = new Map();
  /** What the handler passed along with those. */
  state: unknown;
  /** How many rounds there were. */
  roundTrips = 0;

  /** True if there is nothing the next round would need. */
  get isEmpty(): boolean {
    const { responses: answered, steps, openRequests: asked, handlerInputs: given, state } = this;
    return answered.size + steps.size + asked.size + given.size === 0 && state === undefined;
  }

  toJSON(): JournalJson {
    const { responses: answered, steps, openRequests: asked, handlerInputs: given, state, roundTrips: rounds } = this;
    return {
      responses: [...answered],
      steps: [...steps],
      openRequests: [...asked],
      handlerInputs: [...given],
      state,
      roundTrips: rounds,
    };
  }

  /** Reads what `toJSON` wrote. The seal proved that it is ours. */
  static from(written: JournalJson): Journal {
    const journal = new Journal();
    for (const [key, value] of written.responses) journal.responses.set(key, value);
    for (const [key, value] of written.steps) journal.steps.set(key, value);
    for (const [key, value] of written.openRequests) journal.openRequests.set(key, value);
    for (const [key, value] of written.handlerInputs) journal.handlerInputs.set(key, value);
    journal.state = written.state;
    journal.roundTrips = written.roundTrips;
    return journal;
  }
}
