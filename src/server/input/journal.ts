/** What has happened so far in a call that is answered in several rounds. It travels sealed, in `requestState`. */

import type { InputResponse } from '../../protocol/model/input-requests.ts';

/** A question that was put to the client, as the journal remembers it. */
export interface JournaledRequest {
  readonly method: string;
  readonly fingerprint: string;
  /** It was returned with `inputRequired`, not asked with `ctx.elicit` and friends. */
  readonly returned?: true;
}

type Answered = JournaledRequest & { readonly answer: InputResponse };

/** A journal as it stands in a sealed state. */
export interface JournalJson {
  readonly answered: readonly (readonly [string, Answered])[];
  readonly steps: readonly (readonly [string, { readonly value?: unknown }])[];
  readonly asked: readonly (readonly [string, JournaledRequest])[];
  readonly given: readonly (readonly [string, InputResponse])[];
  readonly state?: unknown;
  readonly rounds: number;
}

/** Answers, steps and open questions of one call. */
export class Journal {
  /** Answers to questions asked with `ctx.elicit` and friends; each counts only for the question it was given to. */
  readonly answered: Map<string, Answered> = new Map();
  /** Results of `ctx.step`. */
  readonly steps: Map<string, { readonly value?: unknown }> = new Map();
  /** Questions of the last round. */
  readonly asked: Map<string, JournaledRequest> = new Map();
  /** Answers to questions a handler returned; not trusted more than arguments are. */
  readonly given: Map<string, InputResponse> = new Map();
  /** What the handler passed along with those. */
  state: unknown;
  /** How many rounds there were. */
  rounds = 0;

  /** True if there is nothing the next round would need. */
  get isEmpty(): boolean {
    const { answered, steps, asked, given, state } = this;
    return answered.size + steps.size + asked.size + given.size === 0 && state === undefined;
  }

  toJSON(): JournalJson {
    const { answered, steps, asked, given, state, rounds } = this;
    return { answered: [...answered], steps: [...steps], asked: [...asked], given: [...given], state, rounds };
  }

  /** Reads what `toJSON` wrote. The seal proved that it is ours. */
  static from(written: JournalJson): Journal {
    const journal = new Journal();
    for (const [key, value] of written.answered) journal.answered.set(key, value);
    for (const [key, value] of written.steps) journal.steps.set(key, value);
    for (const [key, value] of written.asked) journal.asked.set(key, value);
    for (const [key, value] of written.given) journal.given.set(key, value);
    journal.state = written.state;
    journal.rounds = written.rounds;
    return journal;
  }
}
