/** Selects the revision of a message: by the version in its `_meta`, otherwise by its session. */

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

/** Returns the revision with this version. Throws -32603 if there is none. */
export function revisionNamed(version: string): Revision {
  const revision = REVISIONS.get(version);
  if (!revision) throw RpcError.internal();
  return revision;
}

/**
 * Returns the revision of a request. `claim` is the version in the request's `_meta`, which selects a stateless revision even
 * within a session. Without it, the session decides. Throws an `RpcError` if neither selects a revision that is served.
 */
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

// Errors by list of served versions, made once: under a flood of invalid requests, capturing stack traces would cost most time.
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
  // `callerOf` throws for a malformed `_meta`: that error takes precedence over an unsupported version.
  revisionNamed(LATEST_VERSION).callerOf(params, undefined);
  throw unsupportedVersion(claim as string, served);
}

// Before the handshake no revision is negotiated. Any stateful revision can handle `initialize` and `ping`.
function firstStateful(method: string, params: Params, served: readonly string[]): string {
  const version = served.find((name) => isServed(name, served, 'stateful'));
  if (version) return version;
  if (method === 'ping') throw RpcError.methodNotFound(method);
  const requested = params['protocolVersion'];
  throw unsupportedVersion(typeof requested === 'string' ? requested : undefined, served);
}

/** True if the server serves the version and its revision belongs to the family. */
export function isServed(version: unknown, served: readonly string[], family: Family): version is string {
  return typeof version === 'string' && served.includes(version) && familyOf(version) === family;
}

/** Returns the version in the `_meta` of a message, which only stateless revisions have; undefined if there is none. */
export function requestedVersion(params: Params | readonly unknown[] | undefined): unknown {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) && Object.hasOwn(meta, MetaKey.protocolVersion) ? meta[MetaKey.protocolVersion] : undefined;
}
