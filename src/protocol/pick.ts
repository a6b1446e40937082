/** Which revision a message speaks: asked once per message, answered from the message and its session. */

import { RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { unsupportedVersion } from './errors.ts';
import type { Revision } from './revision.ts';
import type { Session } from './session.ts';
import { statefulRevision } from './stateful/revision.ts';
import { callerOf, claimedVersion } from './stateless/caller.ts';
import { statelessRevision } from './stateless/revision.ts';
import { REVISIONS } from './versions.ts';

const revisions: ReadonlyMap<string, Revision> = new Map(
  REVISIONS.map((facts) => [
    facts.version,
    facts.family === 'stateless' ? statelessRevision(facts) : statefulRevision(facts),
  ]),
);

/** The revision of this name; undefined if there is none. */
export function revisionNamed(version: string): Revision | undefined {
  return revisions.get(version);
}

/**
 * The revision a request speaks. A claim in `_meta` means a stateless one, whatever was said before on this
 * connection; without a claim it is the session's.
 */
export function revisionOf(
  method: string,
  params: Params,
  session: Session | undefined,
  served: readonly string[],
): Revision {
  const claim = claimedVersion(params);
  if (claim !== undefined) return claimedRevision(claim, params, served);
  if (session) return named(session.version);
  if (method === 'initialize' || method === 'ping') return firstStateful(method, params, served);
  throw RpcError.invalidParams(
    'The request has no "_meta" with "io.modelcontextprotocol/protocolVersion", and there is no session: ' +
      'add it, or send "initialize" first',
    { supported: served },
  );
}

function claimedRevision(claim: unknown, params: Params, served: readonly string[]): Revision {
  const revision = typeof claim === 'string' && served.includes(claim) ? revisions.get(claim) : undefined;
  if (revision?.facts.family === 'stateless') return revision;
  // A malformed envelope is the first thing to be told, an unknown version the second.
  callerOf(params);
  throw unsupportedVersion(claim as string, served);
}

// Until `initialize` is answered no revision is agreed on; any stateful one can answer it.
function firstStateful(method: string, params: Params, served: readonly string[]): Revision {
  const version = served.find((name) => revisions.get(name)?.facts.family === 'stateful');
  if (version) return named(version);
  if (method === 'ping') throw RpcError.methodNotFound(method);
  const requested = params['protocolVersion'];
  throw unsupportedVersion(typeof requested === 'string' ? requested : undefined, served);
}

function named(version: string): Revision {
  const revision = revisions.get(version);
  if (!revision) throw RpcError.internal();
  return revision;
}
