/** Prompt throttle: limits how often the user is asked to sign in. */

import { type AuthChallenge, AuthError } from '../errors.ts';
import { described } from './challenge.ts';
import type { Wire } from './wire.ts';

// No second sign-in within this time, so that a server that refuses every token does not cause prompts without end.
const ASKED_MS = 60_000;
// No prompt within this time after the user denied access, whatever the scopes.
const DENIED_MS = 30_000;

export class Patience {
  /** All scopes that were requested in successful authorizations. */
  readonly asked: Set<string> = new Set();
  #signedIn: { readonly issuer: string; readonly at: number } | undefined;
  #denied: { readonly error: AuthError; readonly at: number } | undefined;

  /** Throws if the user denied access or signed in at `issuer` moments ago. `isMore`: new scopes allow another sign-in. */
  check(wire: Wire, issuer: string, challenge: AuthChallenge | undefined, isMore: boolean): void {
    const now = Date.now();
    if (this.#denied && now - this.#denied.at < DENIED_MS) throw this.#denied.error;
    const isJustNow = this.#signedIn?.issuer === issuer && now - this.#signedIn.at < ASKED_MS;
    if (isMore || !isJustNow) return;
    const message = described('The server refuses what a person has just signed in for', challenge);
    throw wire.failure('invalid_token', `${message}. They are not asked again at once`, { challenge });
  }

  /** Records a successful authorization. */
  granted(issuer: string, scopes: readonly string[]): void {
    for (const scope of scopes) this.asked.add(scope);
    this.#signedIn = { issuer, at: Date.now() };
    this.#denied = undefined;
  }

  /** Rethrows `error`. If the user denied access, starts the pause before the next prompt. */
  refused(error: unknown): never {
    if (error instanceof AuthError && error.code === 'access_denied') this.#denied = { error, at: Date.now() };
    throw error;
  }

  /** Resets the throttle, after a sign-out. */
  forget(): void {
    this.asked.clear();
    this.#signedIn = undefined;
    this.#denied = undefined;
  }
}
