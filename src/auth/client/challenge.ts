/** Parses the challenges in `WWW-Authenticate` header fields (RFC 9110, section 11). */

import type { AuthChallenge } from '../errors.ts';
import { cleanText, errorCodeIn } from './responses.ts';
import { parseScopes } from './scopes.ts';

/** Authentication schemes of access tokens. Challenges of other schemes are not followed. */
const FOLLOWED = ['bearer', 'dpop'];

// Sticky patterns: each matches at one position only, so parsing takes linear time.
const BETWEEN = /[ \t,]*/y;
const SPACE = /[ \t]*/y;
const TOKEN = /[!#$%&'*+.^_`|~0-9a-z-]*/iy;
const UNQUOTED = /[^ \t,]*/y;
const TOKEN68 = /[0-9a-z._~+/-]+=*(?=[ \t]*(?:,|$))/iy;

/** Returns all challenges of a header field, in order. Skips malformed parts. */
export function readChallenges(header: string | undefined): AuthChallenge[] {
  const text = header ?? '';
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  while (at < text.length) {
    at = endOf(BETWEEN, text, at);
    const end = endOf(TOKEN, text, at);
    const next = endOf(SPACE, text, end);
    const name = text.slice(at, end).toLowerCase();
    if (name === '') {
      at = text[at] === '"' ? quotedAt(text, at + 1).end : at + 1;
    } else if (text[next] === '=') {
      const value = valueAt(text, endOf(SPACE, text, next + 1));
      const parameters = found.at(-1)?.parameters;
      if (value.text !== undefined && !parameters?.has(name)) parameters?.set(name, value.text);
      at = value.end;
    } else {
      found.push({ scheme: name, parameters: new Map() });
      // A `token68` value, such as `Negotiate YII=`, is possible only directly after the scheme and without parameters.
      at = next > end ? (matchEnd(TOKEN68, text, next) ?? next) : end;
    }
  }
  return found.map(({ scheme, parameters }) => challengeOf(scheme, parameters));
}

/** Returns the most specific Bearer or DPoP challenge: one with `error` first, then one with `resource_metadata`. */
export function challengeIn(header: string | undefined): AuthChallenge | undefined {
  const challenges = readChallenges(header);
  const [first] = challenges
    .filter(({ scheme }) => FOLLOWED.includes(scheme))
    .sort((one, other) => weight(other) - weight(one));
  if (!first) return undefined;
  // `resource_metadata` does not depend on the scheme, so the challenge of another scheme can provide it.
  const resourceMetadata = first.resourceMetadata ?? challenges.find((one) => one.resourceMetadata)?.resourceMetadata;
  return { ...first, ...(resourceMetadata !== undefined && { resourceMetadata }) };
}

/** Appends `lead` and the server's `error_description` to an error message, if the challenge has a description. */
export function described(message: string, challenge: AuthChallenge | undefined, lead = ''): string {
  return challenge?.description === undefined ? message : `${message}${lead}: ${challenge.description}`;
}

function weight({ error, resourceMetadata }: AuthChallenge): number {
  return (error === undefined ? 0 : 2) + (resourceMetadata === undefined ? 0 : 1);
}

function challengeOf(scheme: string, parameters: ReadonlyMap<string, string>): AuthChallenge {
  const error = errorCodeIn(parameters.get('error'));
  const description = cleanText(parameters.get('error_description'));
  const scopes = parseScopes(parameters.get('scope'));
  const resourceMetadata = parameters.get('resource_metadata') || undefined;
  return {
    scheme,
    ...(error !== undefined && { error }),
    ...(description !== undefined && { description }),
    ...(scopes && { scopes }),
    ...(resourceMetadata !== undefined && { resourceMetadata }),
  };
}

function valueAt(text: string, at: number): { text: string | undefined; end: number } {
  if (text[at] === '"') return quotedAt(text, at + 1);
  // Some servers omit the quotes around URLs, so more characters are accepted than RFC 9110 allows without quotes.
  const end = endOf(UNQUOTED, text, at);
  return { text: text.slice(at, end), end };
}

function quotedAt(text: string, start: number): { text: string | undefined; end: number } {
  let value = '';
  let from = start;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '"') return { text: value + text.slice(from, at), end: at + 1 };
    if (text[at] === '\\') {
      value += text.slice(from, at);
      at += 1;
      from = at;
    }
  }
  return { text: undefined, end: text.length };
}

function endOf(run: RegExp, text: string, at: number): number {
  return matchEnd(run, text, at) ?? at;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
