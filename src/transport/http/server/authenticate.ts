/** Asks an authenticator who is calling, and says in HTTP's words who is not let in. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { type Id, isObject } from '../../../jsonrpc/message.ts';
import type { Payload } from '../../../jsonrpc/parse.ts';
import {
  type Authenticate,
  type Challenge,
  type Credentials,
  type HttpRequest,
  isChallenge,
} from '../../../protocol/http-request.ts';
import type { Principal } from '../../../protocol/principal.ts';
import { checkPrincipal } from '../../../protocol/principal-check.ts';
import { requestsIn, type Sender, scopeRefusal, scopesNeeded } from '../../../server/scope-checks.ts';
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

/** A caller who is known. */
export interface Admission {
  readonly principal: Principal;
  /** It lacks scopes that every request needs: whatever it asks for is refused like this. */
  readonly lacking: Refusal | undefined;
}

/** The caller; throws `Refusal` if it is not let in. */
export async function authenticate(auth: Authenticate, request: HttpRequest): Promise<Admission> {
  const outcome = await auth(credentialsIn(request.header('authorization')), request);
  if (!isObject(outcome) || !('subject' in outcome || 'status' in outcome)) {
    throw new TypeError(
      '"auth" gave neither a principal nor a challenge: return { subject, scopes }, or a challenge such as { status: 401 }',
    );
  }
  const principal = isChallenge(outcome) ? outcome.principal : outcome;
  if (principal) checkPrincipal(principal, '"auth"');
  if (!isChallenge(outcome)) return { principal: outcome, lacking: undefined };
  const lacking = refusalOf(outcome);
  if (!principal) throw lacking;
  return { principal, lacking };
}

/** Why a caller is refused what came: for the scopes that every request needs, and for those that this one needs. */
export function refusalOfMessage(
  server: Served,
  payload: Payload,
  principal: Principal | undefined,
  auth: Authenticate | undefined,
): Refusal | undefined {
  const [request] = requestsIn(payload);
  // What depends on a session's capabilities is not known here, and named when the rest was granted.
  const { scopes } = scopesNeeded(server['~parts'], payload, { principal, session: undefined });
  const challenge = auth?.protectedResource?.insufficientScope(scopes, principal);
  return challenge && refusalOf(challenge, request?.id);
}

function refusalOf({ status, headers, message = TOLD.get(status) }: Challenge, id?: Id): Refusal {
  if (message === undefined || !TOLD.has(status)) {
    throw new TypeError('"auth" gave a challenge whose status is none of 400, 401, 403 and 503');
  }
  const error = status === 503 ? RpcError.internal(message) : RpcError.invalidRequest(message);
  return new Refusal(status, error, id, lowerCase(headers));
}

/** Throws `Refusal` if what came needs scopes its sender lacks: nothing of it is begun. */
export function checkScopes(
  server: Served,
  payload: Payload,
  sender: Sender,
  { auth }: { readonly auth: Authenticate | undefined },
): void {
  const lacking = scopeRefusal(server['~parts'], payload, sender);
  if (!lacking) return;
  const { id, scopes, error } = lacking;
  if (!auth) throw new Refusal(403, error, id);
  const { status, headers } =
    auth.protectedResource?.insufficientScope(scopes, sender.principal) ?? plainChallenge(scopes);
  throw new Refusal(status, error, id, lowerCase(headers));
}

function plainChallenge(scopes: readonly string[]): Challenge {
  const challenge = `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;
  return { status: 403, headers: { 'www-authenticate': challenge } };
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
