/** Authenticates HTTP requests, and checks the scopes of their principals. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { type Batch, isUnreadable, messageObjectOf, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import { type Id, isBatch, isObject, isRequest, type Request } from '../../../jsonrpc/message.ts';
import {
  type Authenticate,
  type Challenge,
  type Credentials,
  type HttpRequest,
  isChallenge,
} from '../../../protocol/http/authenticate.ts';
import type { ClientCapabilities } from '../../../protocol/model/capabilities.ts';
import { checkPrincipal, type Principal } from '../../../protocol/principal.ts';
import type { Viewer } from '../../../protocol/revision.ts';
import { requestedVersion } from '../../../protocol/revision-of-message.ts';
import type { Session } from '../../../protocol/session.ts';
import { callerOf } from '../../../protocol/stateless/caller.ts';
import { insufficientScope, isGranted, requiredScopes } from '../../../server/authorization/scopes.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import type { Fields } from './http-exchange.ts';
import { Refusal } from './refusal.ts';

const CREDENTIALS = /^([A-Za-z][A-Za-z0-9-]*) +([A-Za-z0-9._~+/-]+=*)$/;

/** Default error messages of challenges, keyed by HTTP status. */
const TOLD: ReadonlyMap<number, string> = new Map<Challenge['status'], string>([
  [400, 'The request says in a wrong way who is calling'],
  [401, 'Authorization is needed'],
  [403, 'This is not allowed'],
  [503, 'Who is calling cannot be found out at the moment'],
]);

export interface Admission {
  readonly principal: Principal;
  /** Set if the principal lacks scopes that every request requires: the refusal of all its requests. */
  readonly lacking: Refusal | undefined;
}

/** Calls the authenticator. Throws a `Refusal` for a challenge without a principal, and a `TypeError` for an invalid result. */
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

export function requestsIn(payload: Payload): Request[] {
  const all = (isBatch(payload) ? payload : [payload]) as Batch;
  return all.filter((one): one is Request => !isUnreadable(one) && isRequest(one));
}

/** Returns the client capabilities from the message's `_meta`, else from the session. Undefined if `_meta` is malformed. */
export function capabilitiesIn(payload: Payload, session: Session | undefined): ClientCapabilities | undefined {
  const { params } = messageObjectOf(payload) ?? {};
  if (requestedVersion(params) === undefined) return session?.capabilities ?? {};
  try {
    return isObject(params) ? callerOf(params).capabilities : undefined;
  } catch {
    // The malformed `_meta` is refused when the request is handled.
    return undefined;
  }
}

/** Returns the refusal that names all scopes that the message requires; undefined if `auth` has no `protectedResource`. */
export function refusalOfMessage(
  server: ServerInternals,
  payload: Payload,
  principal: Principal | undefined,
  auth: Authenticate | undefined,
): Refusal | undefined {
  const requests = requestsIn(payload);
  // The session is not loaded yet, so scopes of tools that only the session's capabilities make visible are missing.
  const capabilities = capabilitiesIn(payload, undefined);
  const scopes = capabilities ? scopesOfAll(server, requests, { principal, capabilities }).scopes : [];
  const challenge = auth?.protectedResource?.insufficientScope(scopes, principal);
  return challenge && refusalOf(challenge, requests[0]?.id);
}

/** Returns the scopes that all requests together require, and the first request for which the principal lacks a scope. */
function scopesOfAll(
  server: ServerInternals,
  requests: readonly Request[],
  viewer: Viewer,
): { readonly scopes: readonly string[]; readonly lacking: Request | undefined } {
  const scopes = new Set<string>();
  let lacking: Request | undefined;
  for (const request of server.requiresScopes ? requests : []) {
    const required = requiredScopes(server, request, viewer) ?? [];
    for (const scope of required) scopes.add(scope);
    if (!isGranted(required, viewer)) lacking ??= request;
  }
  return { scopes: [...scopes], lacking };
}

function refusalOf({ status, headers, message = TOLD.get(status) }: Challenge, id?: Id): Refusal {
  if (message === undefined || !TOLD.has(status)) {
    throw new TypeError('"auth" gave a challenge whose status is none of 400, 401, 403 and 503');
  }
  const error = status === 503 ? RpcError.internal(message) : RpcError.invalidRequest(message);
  return new Refusal(status, error, id, lowerCase(headers));
}

/** Throws a `Refusal` that names the required scopes if the principal lacks one of them. A batch is refused as a whole. */
export function checkScopes(
  server: ServerInternals,
  payload: Payload,
  viewer: Viewer,
  { auth }: { readonly auth: Authenticate | undefined },
): void {
  if (!server.requiresScopes) return;
  const { scopes, lacking } = scopesOfAll(server, requestsIn(payload), viewer);
  if (!lacking) return;
  const error = insufficientScope(scopes, viewer.principal);
  if (!auth) throw new Refusal(403, error, lacking.id);
  const { status, headers } =
    auth.protectedResource?.insufficientScope(scopes, viewer.principal) ?? plainChallenge(scopes);
  throw new Refusal(status, error, lacking.id, lowerCase(headers));
}

function plainChallenge(scopes: readonly string[]): Challenge {
  const challenge = `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;
  return { status: 403, headers: { 'www-authenticate': challenge } };
}

function credentialsIn(header: string | undefined): Credentials | undefined {
  const [, scheme, token] = CREDENTIALS.exec(header ?? '') ?? [];
  if (!scheme || !token) return undefined;
  // The getter is not enumerable, which keeps the token out of logs and `JSON.stringify`.
  return Object.defineProperty({ scheme: scheme.toLowerCase(), token: '' }, 'token', {
    get: () => token,
    enumerable: false,
  });
}

function lowerCase(headers: Fields = {}): Fields {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
