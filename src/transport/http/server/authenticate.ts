/** Asks an authenticator who is calling, and says in HTTP's words who is not let in. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { isBatch, isObject, isRequest, type Message, type Request } from '../../../jsonrpc/message.ts';
import type { Payload } from '../../../jsonrpc/parse.ts';
import {
  type Authenticate,
  type Challenge,
  type Credentials,
  type HttpRequest,
  isChallenge,
} from '../../../protocol/http-request.ts';
import type { Principal } from '../../../protocol/principal.ts';
import { type Sender, scopeRefusal } from '../../../server/scopes.ts';
import type { Served } from '../../../server/served.ts';
import type { Fields } from './http-exchange.ts';
import { Refusal } from './refusal.ts';

const CREDENTIALS = /^([A-Za-z][A-Za-z0-9-]*) +([A-Za-z0-9._~+/-]+=*)$/;

/** What is told with a challenge that says nothing itself. */
const TOLD: ReadonlyMap<number, string> = new Map<Challenge['status'], string>([
  [400, 'The request says in a wrong way who is calling'],
  [401, 'Authorization is needed'],
  [403, 'This is not allowed'],
  [503, 'Who is calling cannot be found out at the moment'],
]);

/** The caller; throws `Refusal` if it is not let in. */
export async function authenticate(auth: Authenticate, request: HttpRequest): Promise<Principal> {
  const outcome = await auth(credentialsIn(request.header('authorization')), request);
  // Callers without a name would all be one.
  if (!isObject(outcome) || (!isChallenge(outcome) && typeof outcome.subject !== 'string')) {
    throw new TypeError('"auth" gave neither a principal nor a challenge');
  }
  if (!isChallenge(outcome)) return outcome;
  const { status, headers, message = TOLD.get(status) } = outcome;
  if (message === undefined || !TOLD.has(status)) {
    throw new TypeError('"auth" gave a challenge whose status is none of 400, 401, 403 and 503');
  }
  const error = status === 503 ? RpcError.internal(message) : RpcError.invalidRequest(message);
  throw new Refusal(status, error, undefined, lowerCase(headers));
}

/** Throws `Refusal` if what came needs scopes its sender lacks: nothing of it is begun. */
export function checkScopes(
  server: Served,
  payload: Payload,
  sender: Sender,
  { auth }: { readonly auth: Authenticate | undefined },
): void {
  const own = server['~parts'];
  const lacking = own.scopesFor && scopeRefusal(own, requestsIn(payload), sender);
  if (!lacking) return;
  const { id, scopes, error } = lacking;
  if (!auth) throw new Refusal(403, error, id);
  const { status, headers } = auth.protectedResource?.insufficientScope(scopes) ?? plainChallenge(scopes);
  throw new Refusal(status, error, id, lowerCase(headers));
}

function plainChallenge(scopes: readonly string[]): Challenge {
  const challenge = `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;
  return { status: 403, headers: { 'www-authenticate': challenge } };
}

function requestsIn(payload: Payload): Request[] {
  const all = (isBatch(payload) ? payload : [payload]) as readonly (Message | Error)[];
  return all.filter((one): one is Request => !(one instanceof Error) && isRequest(one));
}

function credentialsIn(header: string | undefined): Credentials | undefined {
  const [, scheme, token] = CREDENTIALS.exec(header ?? '') ?? [];
  if (!scheme || !token) return undefined;
  // Whoever asks for the token gets it; logs and JSON do not.
  return Object.defineProperty({ scheme: scheme.toLowerCase(), token: '' }, 'token', {
    get: () => token,
    enumerable: false,
  });
}

function lowerCase(headers: Fields = {}): Fields {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
