/** Asks an authorization server about tokens (RFC 7662). */

import {
  allowInsecureRequests,
  customFetch,
  type IntrospectionResponse,
  introspectionRequest,
  processIntrospectionResponse,
} from 'oauth4webapi';
import { type Answer, type Ask, MAX_ASKING_MS, stepOf } from './ask.ts';
import { type ClientCredentials, clientAuthOf } from './client-credentials.ts';
import { withCooldown } from './cooldown.ts';
import { discoverEndpoint, unavailable } from './discovery.ts';
import type { OnError } from './report.ts';

/** Who is asked, as whom, and how. */
export interface IntrospectionSource {
  readonly issuer: string;
  /** Undefined: where the issuer's metadata says. */
  readonly endpoint: string | undefined;
  readonly credentials: ClientCredentials;
  readonly ask: Ask;
  readonly report: OnError;
}

/** What the authorization server says of a token. Rejects if it cannot be asked, and reports why. */
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
    let answer: Answer | string = 'the request could not be made: look at the client credentials';
    try {
      const response = await introspectionRequest(server, client, clientAuth, token, {
        // Whether it may be http: was decided when the URL was checked.
        [allowInsecureRequests]: true,
        [customFetch]: async (to, { method, headers, body }) => {
          answer = await ask(to, { method, headers, body: body.toString(), signal });
          return responseOf(answer);
        },
        additionalParameters: { token_type_hint: 'access_token' },
      });
      return await processIntrospectionResponse(server, client, response);
    } catch {
      // What the library throws holds the token, the credentials and the answer: nothing of it goes on.
      const step = stepOf('introspection', url, answer, outcomeOf(answer));
      const error = unavailable(`The authorization server ${issuer} could not be asked about a token`, [step]);
      report(error);
      throw error;
    }
  };
}

/** Where to ask; found once for all. */
function placeOf(source: Omit<IntrospectionSource, 'credentials'>): (signal: AbortSignal) => Promise<string> {
  const { issuer, endpoint, ask, report } = source;
  const discover = withCooldown((signal) => discoverEndpoint(ask, issuer, 'introspection_endpoint', signal), report);
  let found = endpoint === undefined ? undefined : Promise.resolve(endpoint);
  return (signal) => {
    found ??= discover(signal).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

// A JWT as an answer (RFC 9701) was not asked for, and nobody here would check its signature.
function responseOf(answer: Answer | string): Response {
  if (typeof answer === 'string' || answer.contentType.endsWith('jwt')) throw new TypeError('There is no answer');
  const { status, contentType, body } = answer;
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : body, { status, headers: { 'content-type': contentType } });
}

function outcomeOf(answer: Answer | string): string {
  if (typeof answer === 'string') return answer;
  if (answer.status === 401) return 'the client credentials were not accepted';
  return answer.status === 200 ? 'the answer is no introspection response' : 'not 200';
}
