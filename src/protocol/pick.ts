/** Which revision a message speaks: asked once per message, answered from the message and its session. */

import { RpcError } from '../jsonrpc/errors.ts';
import { type Later, later } from '../jsonrpc/later.ts';
import { isRequest, type Params } from '../jsonrpc/message.ts';
import { callIn, type Payload } from '../jsonrpc/parse.ts';
import { claimedVersion } from './claim.ts';
import { unsupportedVersion } from './errors.ts';
import type { Revision } from './revision.ts';
import type { Session } from './session.ts';
import { type Family, familyOf, LATEST_VERSION } from './versions.ts';

/** Makes the revision of this name. */
type Make = (version: string) => Revision;

/** What loads each of the two families: a client speaks one of them, and the other is never needed. */
export const loaders: Readonly<Record<Family, Later<Make>>> = {
  stateful: later(() => import('./stateful/revision.ts').then(({ statefulRevision }) => statefulRevision)),
  stateless: later(() => import('./stateless/revision.ts').then(({ statelessRevision }) => statelessRevision)),
};

/** Settles when the family that a message speaks is loaded; undefined if it is, or if the message speaks none. */
export function loadingOf(payload: Payload): Promise<void> | undefined {
  const call = callIn(payload);
  if (call && claimedVersion(call.params) !== undefined) return loaders.stateless.load();
  // A notification without a claim is for the session, whose handshake loaded what it speaks.
  return call && isRequest(call) ? loaders.stateful.load() : undefined;
}

const revisions = new Map<string, Revision>();

/** The revision of this name. Its family has to be loaded. */
export function revisionNamed(version: string): Revision {
  return revisions.get(version) ?? made(version);
}

function made(version: string): Revision {
  const family = familyOf(version);
  const make = family && loaders[family].loaded;
  if (!make) throw RpcError.internal();
  const revision = make(version);
  revisions.set(version, revision);
  return revision;
}

/**
 * The revision a request speaks. A claim in `_meta` means a stateless one, whatever was said before on this
 * connection; without a claim it is the session's. Throws an `RpcError` if there is none.
 */
export function revisionOf(
  method: string,
  params: Params,
  session: Session | undefined,
  served: readonly string[],
): Revision {
  const claim = claimedVersion(params);
  if (claim !== undefined) return claimedRevision(claim, params, served);
  if (session) return revisionNamed(session.version);
  if (method === 'initialize' || method === 'ping') return revisionNamed(firstStateful(method, params, served));
  throw noRevision(served);
}

// Made once for each server: most requests of a flood have no revision, and a stack trace for each would cost most.
const noRevisions = new WeakMap<readonly string[], RpcError>();

function noRevision(served: readonly string[]): RpcError {
  const known = noRevisions.get(served);
  if (known) return known;
  const message =
    'The request has no "_meta" with "io.modelcontextprotocol/protocolVersion", and there is no session: ' +
    'add it, or send "initialize" first';
  const error = RpcError.invalidParams(message, { supported: served });
  noRevisions.set(served, error);
  return error;
}

function claimedRevision(claim: unknown, params: Params, served: readonly string[]): Revision {
  if (isServed(claim, served, 'stateless')) return revisionNamed(claim);
  // A malformed envelope is the first thing to be told, an unknown version the second.
  revisionNamed(LATEST_VERSION).callerOf(params, undefined);
  throw unsupportedVersion(claim as string, served);
}

// Until `initialize` is answered no revision is agreed on; any stateful one can answer it.
function firstStateful(method: string, params: Params, served: readonly string[]): string {
  const version = served.find((name) => isServed(name, served, 'stateful'));
  if (version) return version;
  if (method === 'ping') throw RpcError.methodNotFound(method);
  const requested = params['protocolVersion'];
  throw unsupportedVersion(typeof requested === 'string' ? requested : undefined, served);
}

/** True for the name of a revision of this family that is among those served. */
export function isServed(version: unknown, served: readonly string[], family: Family): version is string {
  return typeof version === 'string' && served.includes(version) && familyOf(version) === family;
}
