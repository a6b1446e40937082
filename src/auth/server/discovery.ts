/** Finds an endpoint of an authorization server in its metadata (RFC 8414, OpenID Connect Discovery). */

import { printable } from '../../jsonrpc/printable.ts';
import { AuthError, type AuthStep } from '../errors.ts';
import { metadataPlaces } from '../metadata-places.ts';
import { type Ask, jsonObjectIn, stepOf } from './ask.ts';
import { isSafeUrl } from './urls.ts';

/** What a document says of an endpoint, or the rule that it breaks. */
export type Found = { readonly url: string } | { readonly broken: string };

/** Reads an endpoint from a metadata document, if the document is the issuer's. */
export function endpointIn(document: Readonly<Record<string, unknown>>, issuer: string, endpoint: string): Found {
  // Compared as it is written: RFC 8414 allows nothing else.
  if (document['issuer'] !== issuer) return { broken: anotherIssuer(document['issuer']) };
  const url = document[endpoint];
  if (typeof url !== 'string' || !URL.canParse(url)) return { broken: `the document has no "${endpoint}"` };
  if (!isSafeUrl(new URL(url))) return { broken: `"${endpoint}" is no https: URL` };
  return { url };
}

function anotherIssuer(named: unknown): string {
  if (typeof named !== 'string') return 'the document names no issuer';
  return `the document names another issuer, "${printable(named, 128)}": if that is the one you mean, write it like that as "issuer"`;
}

/** Finds an endpoint. Rejects with an `AuthError` that says what was tried. */
export async function discoverEndpoint(
  ask: Ask,
  issuer: string,
  endpoint: string,
  signal: AbortSignal,
): Promise<string> {
  const trace: AuthStep[] = [];
  for (const place of metadataPlaces(issuer)) {
    const answer = await ask(place, { headers: { accept: 'application/json' }, signal });
    const document = jsonObjectIn(answer);
    const found = typeof document === 'string' ? { broken: document } : endpointIn(document, issuer, endpoint);
    if ('url' in found) return found.url;
    trace.push(stepOf('authorization server metadata', place, answer, found.broken));
  }
  throw unavailable(`The "${endpoint}" of the authorization server ${issuer} was not found`, trace);
}

/** Something of an authorization server's cannot be had now. */
export function unavailable(message: string, trace: readonly AuthStep[]): AuthError {
  return new AuthError('temporarily_unavailable', message, { trace, isRetryable: true });
}
