/** Token introspection requests (RFC 7662). */

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

/** Maximum size of a response. Responses for valid tokens are cached: 1,000 of this size take 64 MiB. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Statuses about this server's own request: authentication, permission, endpoint, timeout or rate limit. */
const OWN_FAULTS: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 408, 410, 425, 429]);

export interface IntrospectionSource {
  readonly issuer: string;
  /** Introspection endpoint. Undefined: as in the issuer's metadata. */
  readonly endpoint: string | undefined;
  readonly credentials: ClientCredentials;
  readonly ask: Ask;
  readonly report: OnError;
}

/** Introspects a token. If there is no result, reports an `AuthError` and rejects with it; it is retryable in an outage. */
export type Introspection = (token: string) => Promise<IntrospectionResponse>;

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
        // Whether http: is allowed was decided when the URL was checked.
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
      // Drops the library's error, because it contains the token, the credentials and the response.
      const error = failureOf(issuer, url, answer);
      report(error);
      throw error;
    }
  };
}

/** Returns a function that finds the introspection endpoint, with one discovery for all calls. */
function placeOf(source: Omit<IntrospectionSource, 'credentials'>): (signal: AbortSignal) => Promise<string> {
  const { issuer, endpoint, ask, report } = source;
  const discover = withCooldown((signal) => discoverEndpoint(ask, issuer, 'introspection_endpoint', signal), report);
  return endpoint === undefined ? once(discover) : async () => endpoint;
}

// Refuses JWT responses (RFC 9701): they were not requested, and their signature would not be checked.
function responseOf(answer: Answer | string): Response {
  if (typeof answer === 'string' || answer.contentType.endsWith('jwt')) throw new TypeError('There is no answer');
  const { status, contentType, body } = answer;
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : body, { status, headers: { 'content-type': contentType } });
}

/** True if a 4xx response means an invalid token; false if it is about this server's credentials, endpoint or rate limit. */
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
