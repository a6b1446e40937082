/** `Introductions`: lets sessions share equal `clientInfo` and `capabilities` objects, to save memory. */

import type { Session } from '../../../protocol/session.ts';

/** Maximum length of `clientInfo` and `capabilities` together, in characters of JSON. */
export const MAX_INTRODUCTION: number = 16 * 1024;
// Maximum length of a shared introduction, in characters of JSON. Longer ones are rarely equal.
const MAX_SHARED_LENGTH = 1024;
const MAX_KNOWN = 100;

type Introduction = Pick<Session, 'clientInfo' | 'capabilities'>;

export class Introductions {
  readonly #known = new Map<string, Introduction>();

  /** Returns the session with the cached objects that equal its own; undefined if they are longer than `MAX_INTRODUCTION`. */
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
    // Frozen, because a change by one client's handler would affect all clients.
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
