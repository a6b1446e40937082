/** Selects the revision of a message by the protocol version in `_meta`, otherwise by the session. */

import { RpcError } from '../jsonrpc/errors.ts';
import { isObject, type Params } from '../jsonrpc/message.ts';
import { unsupportedVersion } from './errors.ts';
import { MetaKey } from './model/meta.ts';
import type { Revision } from './revision.ts';
import { REVISIONS as ALL, type Family, familyOf, LATEST_VERSION } from './revisions.ts';
import type { Session } from './session.ts';
import { statefulRevision } from './stateful/revision.ts';
import { statelessRevision } from './stateless/revision.ts';

const REVISIONS: ReadonlyMap<string, Revision> = new Map(
  ALL.map((features) => [
    features.version,
    features.family === 'stateless' ? statelessRevision(features) : statefulRevision(features),
  ]),
);

/** Returns the server side of a revision. Throws -32603 if the version is unknown. */
export function revisionNamed(version: string): Revision {
  const revision = REVISIONS.get(version);
  if (!revision) throw RpcError.internal();
  return revision;
}

/** Selects the revision by `claim` (protocol version in `_meta`), else by the session. Throws an `RpcError` if none matches. */
export function selectRevision(
  claim: unknown,
  method: string,
  params: Params,
  session: Session | undefined,
  served: readonly string[],
): Revision {
  if (claim !== undefined) return claimedRevision(claim, params, served);
  if (session) return revisionNamed(session.version);
  if (method === 'initialize' || method === 'ping') return revisionNamed(firstStateful(method, params, served));
  throw noRevision(served);
}

// One cached error per list of served versions, because stack traces are the main cost of a flood of invalid requests.
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
  const revision = typeof claim === 'string' && served.includes(claim) ? REVISIONS.get(claim) : undefined;
  if (revision?.features.family === 'stateless') return revision;
  // A malformed `_meta`, for which `callerOf` throws, takes precedence over an unsupported version.
  revisionNamed(LATEST_VERSION).callerOf(params, undefined);
  throw unsupportedVersion(claim as string, served);
}

// Before `initialize` no revision is negotiated, but every stateful revision can handle `initialize` and `ping`.
function firstStateful(method: string, params: Params, served: readonly string[]): string {
  const version = served.find((name) => isServed(name, served, 'stateful'));
  if (version) return version;
  if (method === 'ping') throw RpcError.methodNotFound(method);
  const requested = params['protocolVersion'];
  throw unsupportedVersion(typeof requested === 'string' ? requested : undefined, served);
}

export function isServed(version: unknown, served: readonly string[], family: Family): version is string {
  return typeof version === 'string' && served.includes(version) && familyOf(version) === family;
}

/** Returns the protocol version in `_meta`, unvalidated. Messages of stateful revisions have no version in `_meta`. */
export function requestedVersion(params: Params | readonly unknown[] | undefined): unknown {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) && Object.hasOwn(meta, MetaKey.protocolVersion) ? meta[MetaKey.protocolVersion] : undefined;
}
