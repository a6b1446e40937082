/** Reports of refused tokens, for the operator of the server. */

import { callGuarded } from '../../jsonrpc/errors.ts';
import { printable } from '../../jsonrpc/printable.ts';
import { monotonicNow } from '../../timing/monotonic-now.ts';
import type { Claims } from './claims.ts';
import type { ReceivedClaims, TokenFault } from './token.ts';

/** The claims that a token must have to be accepted. */
export interface ExpectedClaims {
  /** Undefined if every issuer is accepted. */
  readonly issuer: string | undefined;
  /** Accepted audiences: a token must be for one of them. */
  readonly audience: readonly string[];
}

/** A refused token and the reason. Does not contain the token itself. */
export interface RefusedToken {
  /** The check that failed; `proof` is the check of the DPoP proof. */
  readonly reason: TokenFault | 'proof';
  /** The reason as a sentence, which the client gets as `error_description`. */
  readonly description: string;
  readonly expected: ExpectedClaims;
  /** Claims of the token; undefined if it cannot be read, is inactive, or was refused by `verify`. */
  readonly received: ReceivedClaims | undefined;
}

/** Called with each refused token. */
export type OnRefused = (refused: RefusedToken) => void;

const QUIET_MS = 60_000;
const MAX_LENGTH = 200;
const MAX_AUDIENCES = 5;

/** Returns the function that reports refused tokens: to `onRefused`, or to stderr once a minute per reason. It never throws. */
export function refusalsTo(onRefused: OnRefused | undefined): OnRefused {
  if (onRefused === undefined) return throttledLines();
  if (typeof onRefused !== 'function') throw new TypeError('The option "onRefused" must be a function');
  const onError = (error: Error): void => console.error(`mcpp: onRefused failed: ${printable(error.message)}`);
  return (refused) => callGuarded(() => onRefused(refused), onError);
}

/** Returns the claims that help to find the reason: issuer, audience, validity period. */
export function receivedClaims({ iss, aud, exp, nbf }: Claims): ReceivedClaims {
  const audience = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string').slice(0, MAX_AUDIENCES);
  return {
    ...(typeof iss === 'string' && { issuer: printable(iss, MAX_LENGTH) }),
    ...(audience.length > 0 && { audience: audience.map((one) => printable(one, MAX_LENGTH)) }),
    ...(typeof exp === 'number' && { expiresAt: exp * 1000 }),
    ...(typeof nbf === 'number' && { notBefore: nbf * 1000 }),
  };
}

function throttledLines(): OnRefused {
  const last = new Map<RefusedToken['reason'], { readonly quietUntil: number; unreported: number }>();
  return (refused) => {
    const before = last.get(refused.reason);
    const now = monotonicNow();
    if (before && now < before.quietUntil) {
      before.unreported++;
      return;
    }
    last.set(refused.reason, { quietUntil: now + QUIET_MS, unreported: 0 });
    console.error(`mcpp: ${lineOf(refused)}${countOf(before?.unreported ?? 0)}`);
  };
}

function lineOf({ description, expected, received }: RefusedToken): string {
  const { issuer, audience, expiresAt, notBefore } = received ?? {};
  const said = [
    ...namesOf(issuer, audience),
    ...(notBefore === undefined ? [] : [`valid from ${dateOf(notBefore)}`]),
    ...(expiresAt === undefined ? [] : [`expires ${dateOf(expiresAt)}`]),
  ];
  const got = said.length > 0 ? ` Received: ${said.join(', ')}.` : '';
  return `A token was refused: ${description}.${got} Expected: ${namesOf(expected.issuer, expected.audience).join(', ')}.`;
}

function countOf(unreported: number): string {
  return unreported === 0 ? '' : ` Since the last such line ${unreported} more were refused for this reason.`;
}

function namesOf(issuer: string | undefined, audience: readonly string[] = []): string[] {
  const audiences = audience.map((one) => `"${one}"`).join(' or ');
  return [
    ...(issuer === undefined ? [] : [`issuer "${issuer}"`]),
    ...(audiences === '' ? [] : [`audience ${audiences}`]),
  ];
}

function dateOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? 'at no date' : date.toISOString();
}
