/** How often a person can be asked: not the same again right away, and not again right after they said no. */

import { type AuthChallenge, AuthError } from '../errors.ts';
import { described } from './challenge.ts';
import type { Wire } from './wire.ts';

// A server that refuses what a person has just got for it is not to have them get it again and again.
const ASKED_MS = 60_000;
// Whoever said no means it, for a while.
const DENIED_MS = 30_000;

/** What a person was asked for one server, and what they said. */
export class Patience {
  /** The scopes that were asked for. */
  readonly asked: Set<string> = new Set();
  #signedIn: { readonly issuer: string; readonly at: number } | undefined;
  #denied: { readonly error: AuthError; readonly at: number } | undefined;

  /** Refuses to ask, if that was done just now. A person can be asked for more, or by another authorization server. */
  check(wire: Wire, issuer: string, challenge: AuthChallenge | undefined, isMore: boolean): void {
    const now = Date.now();
    if (this.#denied && now - this.#denied.at < DENIED_MS) throw this.#denied.error;
    const isJustNow = this.#signedIn?.issuer === issuer && now - this.#signedIn.at < ASKED_MS;
    if (isMore || !isJustNow) return;
    const message = described('The server refuses what a person has just signed in for', challenge);
    throw wire.failure('invalid_token', `${message}. They are not asked again at once`, { challenge });
  }

  /** A person has signed in. */
  granted(issuer: string, scopes: readonly string[]): void {
    for (const scope of scopes) this.asked.add(scope);
    this.#signedIn = { issuer, at: Date.now() };
    this.#denied = undefined;
  }

  /** It was not granted: throws why, and remembers it if it was a person who refused. */
  refused(error: unknown): never {
    if (error instanceof AuthError && error.code === 'access_denied') this.#denied = { error, at: Date.now() };
    throw error;
  }

  /** They begin anew. */
  forget(): void {
    this.asked.clear();
    this.#signedIn = undefined;
    this.#denied = undefined;
  }
}
