/** Finds an endpoint in the metadata of an authorization server (RFC 8414, OpenID Connect Discovery). */

import { printable } from '../../jsonrpc/printable.ts';
import { AuthError, type AuthStep } from '../errors.ts';
import { metadataPlaces } from '../metadata-places.ts';
import { type Ask, jsonObjectIn, stepOf } from './ask.ts';
import { isSafeUrl } from './urls.ts';

/** URL of an endpoint, or the rule that the metadata violates. */
export type Found = { readonly url: string } | { readonly broken: string };

/** Returns an endpoint of a metadata document, if the document names this issuer. */
export function endpointIn(document: Readonly<Record<string, unknown>>, issuer: string, endpoint: string): Found {
  // RFC 8414, section 3.3: the issuers must be identical strings.
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

/** Finds the URL of an endpoint. Rejects with an `AuthError` that lists the attempts. */
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

/** Creates the retryable error for an authorization server that is unavailable. */
export function unavailable(message: string, trace: readonly AuthStep[]): AuthError {
  return new AuthError('temporarily_unavailable', message, { trace, isRetryable: true });
}
