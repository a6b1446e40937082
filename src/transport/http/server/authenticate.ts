/** Asks an authenticator who is calling. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { type Authenticate, type Credentials, type HttpRequest, isChallenge } from '../../../protocol/http-request.ts';
import type { Principal } from '../../../protocol/principal.ts';
import { Refusal } from './refusal.ts';

const CREDENTIALS = /^([A-Za-z][A-Za-z0-9-]*) +([A-Za-z0-9._~+/-]+=*)$/;

/** The caller; throws `Refusal` if it is not let in. */
export async function authenticate(auth: Authenticate, request: HttpRequest): Promise<Principal> {
  const outcome = await auth(credentialsIn(request.header('authorization')), request);
  // Callers without a name would all be one.
  if (!isObject(outcome) || (!isChallenge(outcome) && typeof outcome.subject !== 'string')) {
    throw new TypeError('"auth" gave neither a principal nor a challenge');
  }
  if (!isChallenge(outcome)) return outcome;
  const { status, headers, message } = outcome;
  const told = message ?? (status === 401 ? 'Authorization is needed' : 'This is not allowed');
  throw new Refusal(status, RpcError.invalidRequest(told), undefined, lowerCase(headers));
}

function credentialsIn(header: string | undefined): Credentials | undefined {
  const [, scheme, token] = CREDENTIALS.exec(header ?? '') ?? [];
  return scheme && token ? { scheme: scheme.toLowerCase(), token } : undefined;
}

function lowerCase(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
