/** Asks an authenticator who is calling, and says in HTTP's words who is not let in. */

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
import { requestedVersion } from '../../../protocol/select-revision.ts';
import type { Session } from '../../../protocol/session.ts';
import { callerOf } from '../../../protocol/stateless/caller.ts';
import { insufficientScope, isGranted, requiredScopes } from '../../../server/authorization/scopes.ts';
import type { ServerInternals } from '../../../server/internals.ts';
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

/** The requests of a message or batch. */
export function requestsIn(payload: Payload): Request[] {
  const all = (isBatch(payload) ? payload : [payload]) as Batch;
  return all.filter((one): one is Request => !isUnreadable(one) && isRequest(one));
}

/** Capabilities of the client that sent a message, in its `_meta` or its session. Undefined if `_meta` is malformed. */
export function capabilitiesIn(payload: Payload, session: Session | undefined): ClientCapabilities | undefined {
  const { params } = messageObjectOf(payload) ?? {};
  if (requestedVersion(params) === undefined) return session?.capabilities ?? {};
  try {
    return isObject(params) ? callerOf(params).capabilities : undefined;
  } catch {
    // The request is refused for that when it is handled.
    return undefined;
  }
}

/** The refusal of a message whose caller lacks scopes that every request requires; it names those of the message, too. */
export function refusalOfMessage(
  server: ServerInternals,
  payload: Payload,
  principal: Principal | undefined,
  auth: Authenticate | undefined,
): Refusal | undefined {
  const requests = requestsIn(payload);
  // Entries that are visible only with a session's capabilities are not found here: their scopes are named later.
  const capabilities = capabilitiesIn(payload, undefined);
  const scopes = capabilities ? scopesOfAll(server, requests, { principal, capabilities }).scopes : [];
  const challenge = auth?.protectedResource?.insufficientScope(scopes, principal);
  return challenge && refusalOf(challenge, requests[0]?.id);
}

/** The scopes that requests require together, and the first request whose principal lacks one of its own. */
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

/** Throws `Refusal` if a request requires scopes that its principal lacks, before any of them is handled. */
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
  // Whoever asks for the token gets it; logs and JSON do not.
  return Object.defineProperty({ scheme: scheme.toLowerCase(), token: '' }, 'token', {
    get: () => token,
    enumerable: false,
  });
}

function lowerCase(headers: Fields = {}): Fields {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
