/** What clients say of themselves when they open a session: many say the same, and that is kept once. */

import type { Session } from '../../../protocol/session.ts';

/** Characters; whoever says more of itself has something else in mind. */
export const MAX_INTRODUCTION: number = 16 * 1024;
// Only what is short is said by many.
const MAX_SHARED_LENGTH = 1024;
const MAX_KNOWN = 100;

type Introduction = Pick<Session, 'clientInfo' | 'capabilities'>;

/** The introductions of an endpoint's sessions. */
export class Introductions {
  readonly #known = new Map<string, Introduction>();

  /** The session, holding what others said in the same words; undefined if the client says too much. */
  shared(session: Session): Session | undefined {
    const { clientInfo, capabilities } = session;
    const said = JSON.stringify([clientInfo, capabilities]);
    if (said.length > MAX_INTRODUCTION) return undefined;
    if (said.length > MAX_SHARED_LENGTH) return session;
    const known = this.#known.get(said) ?? this.#learn(said, { clientInfo, capabilities });
    if (known.clientInfo === clientInfo && known.capabilities === capabilities) return session;
    return { ...session, ...known };
  }

  #learn(said: string, introduction: Introduction): Introduction {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    // What a handler might change in it must not reach another client.
    freeze(introduction);
    this.#known.set(said, introduction);
    return introduction;
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}
