/** Asks an authorization server about tokens (RFC 7662). */

import {
  allowInsecureRequests,
  customFetch,
  type IntrospectionResponse,
  introspectionRequest,
  processIntrospectionResponse,
} from 'oauth4webapi';
import { once } from '../../timing/single-flight.ts';
import { AuthError } from '../errors.ts';
import { type Answer, type Ask, MAX_ASKING_MS, stepOf } from './ask.ts';
import { type ClientCredentials, clientAuthOf } from './client-credentials.ts';
import { withCooldown } from './cooldown.ts';
import { discoverEndpoint, unavailable } from './discovery.ts';
import type { OnError } from './report.ts';

/** Good tokens are remembered with what is said of them: 1,000 answers of this size take 64 MiB. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Not authenticated, not allowed, no such endpoint, too slow, too early, too often. */
const OWN_FAULTS: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 408, 410, 425, 429]);

/** Who is asked, as whom, and how. */
export interface IntrospectionSource {
  readonly issuer: string;
  /** Undefined: where the issuer's metadata says. */
  readonly endpoint: string | undefined;
  readonly credentials: ClientCredentials;
  readonly ask: Ask;
  readonly report: OnError;
}

/**
 * What the authorization server says of a token. Rejects with an `AuthError` if it said nothing, and reports why;
 * `isRetryable` is true if it is out of order: no connection, no answer in time, or a status of 500 and above.
 */
export type Introspection = (token: string) => Promise<IntrospectionResponse>;

/** Asks one authorization server. */
export function introspection({ issuer, endpoint, credentials, ask, report }: IntrospectionSource): Introspection {
  const clientAuth = clientAuthOf(credentials);
  const client = { client_id: credentials.clientId };
  const place = placeOf({ issuer, endpoint, ask, report });
  return async (token) => {
    const signal = AbortSignal.timeout(MAX_ASKING_MS);
    const url = await place(signal);
    const server = { issuer, introspection_endpoint: url };
    let answer: Answer | string | undefined;
    try {
      const response = await introspectionRequest(server, client, clientAuth, token, {
        // Whether it may be http: was decided when the URL was checked.
        [allowInsecureRequests]: true,
        [customFetch]: async (to, { method, headers, body }) => {
          answer = await ask(to, { method, headers, body: body.toString(), maxBytes: MAX_ANSWER_BYTES, signal });
          return responseOf(answer);
        },
        additionalParameters: { token_type_hint: 'access_token' },
      });
      return await processIntrospectionResponse(server, client, response);
    } catch {
      if (isRefusalOfToken(answer)) return { active: false };
      // What the library throws holds the token, the credentials and the answer: nothing of it goes on.
      const error = failureOf(issuer, url, answer);
      report(error);
      throw error;
    }
  };
}

/** Where to ask; found once for all. */
function placeOf(source: Omit<IntrospectionSource, 'credentials'>): (signal: AbortSignal) => Promise<string> {
  const { issuer, endpoint, ask, report } = source;
  const discover = withCooldown((signal) => discoverEndpoint(ask, issuer, 'introspection_endpoint', signal), report);
  return endpoint === undefined ? once(discover) : async () => endpoint;
}

// A JWT as an answer (RFC 9701) was not asked for, and nobody here would check its signature.
function responseOf(answer: Answer | string): Response {
  if (typeof answer === 'string' || answer.contentType.endsWith('jwt')) throw new TypeError('There is no answer');
  const { status, contentType, body } = answer;
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : body, { status, headers: { 'content-type': contentType } });
}

/**
 * True for a status from 400 to 499: the token cannot be one of this server's. Not if the status is about the request
 * for introspection itself, which is this server's: its credentials, the endpoint, or how often it asks.
 */
function isRefusalOfToken(answer: Answer | string | undefined): boolean {
  if (typeof answer !== 'object' || answer.status < 400 || answer.status > 499) return false;
  return !OWN_FAULTS.has(answer.status) && !/"(?:invalid|unauthorized)_client"/.test(answer.body);
}

function failureOf(issuer: string, url: string, answer: Answer | string | undefined): AuthError {
  const step = stepOf('introspection', url, answer ?? '', outcomeOf(answer));
  const isRetryable = typeof answer === 'object' ? answer.status >= 500 : answer !== undefined;
  const message = `The authorization server ${issuer} could not be asked about a token`;
  return isRetryable ? unavailable(message, [step]) : new AuthError('invalid_response', message, { trace: [step] });
}

function outcomeOf(answer: Answer | string | undefined): string {
  if (answer === undefined) return 'the request could not be made: look at the client credentials';
  if (typeof answer === 'string') return answer;
  if (answer.status === 200) return 'the answer is no introspection response';
  const isClient = [401, 403].includes(answer.status) || /_client"/.test(answer.body);
  return isClient ? 'the client credentials were not accepted' : 'not 200';
}
