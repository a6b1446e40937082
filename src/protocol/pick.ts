/** Which revision a message speaks: asked once per message, answered from the message and its session. */

import { RpcError } from '../jsonrpc/errors.ts';
import { type Later, later } from '../jsonrpc/later.ts';
import type { Params } from '../jsonrpc/message.ts';
import { claimedVersion } from './claim.ts';
import { unsupportedVersion } from './errors.ts';
import type { Revision } from './revision.ts';
import type { Session } from './session.ts';
import { type Family, familyOf, LATEST_VERSION } from './versions.ts';

/** Makes the revision of this name. */
type Make = (version: string) => Revision;

/** The two families: a client speaks one of them, and the other is never loaded. */
export const families: Readonly<Record<Family, Later<Make>>> = {
  stateful: later(() => import('./stateful/revision.ts').then(({ statefulRevision }) => statefulRevision)),
  stateless: later(() => import('./stateless/revision.ts').then(({ statelessRevision }) => statelessRevision)),
};

const revisions = new Map<string, Revision>();

/** The revision of this name: at once if its family is loaded, else when it is. */
export function revisionNamed(version: string): Revision | Promise<Revision> {
  return revisions.get(version) ?? load(version);
}

function load(version: string): Revision | Promise<Revision> {
  const family = familyOf(version);
  if (!family) throw RpcError.internal();
  return families[family].use((make) => {
    const revision = revisions.get(version) ?? make(version);
    revisions.set(version, revision);
    return revision;
  });
}

/**
 * The revision a request speaks. A claim in `_meta` means a stateless one, whatever was said before on this
 * connection; without a claim it is the session's. Throws or rejects with an `RpcError` if there is none.
 */
export function revisionOf(
  method: string,
  params: Params,
  session: Session | undefined,
  served: readonly string[],
): Revision | Promise<Revision> {
  const claim = claimedVersion(params);
  if (claim !== undefined) return claimedRevision(claim, params, served);
  if (session) return revisionNamed(session.version);
  if (method === 'initialize' || method === 'ping') return revisionNamed(firstStateful(method, params, served));
  throw RpcError.invalidParams(
    'The request has no "_meta" with "io.modelcontextprotocol/protocolVersion", and there is no session: ' +
      'add it, or send "initialize" first',
    { supported: served },
  );
}

function claimedRevision(claim: unknown, params: Params, served: readonly string[]): Revision | Promise<Revision> {
  if (isServed(claim, served, 'stateless')) return revisionNamed(claim);
  return families.stateless.use((): never => {
    // A malformed envelope is the first thing to be told, an unknown version the second.
    (revisionNamed(LATEST_VERSION) as Revision).callerOf(params, undefined);
    throw unsupportedVersion(claim as string, served);
  });
}

// Until `initialize` is answered no revision is agreed on; any stateful one can answer it.
function firstStateful(method: string, params: Params, served: readonly string[]): string {
  const version = served.find((name) => isServed(name, served, 'stateful'));
  if (version) return version;
  if (method === 'ping') throw RpcError.methodNotFound(method);
  const requested = params['protocolVersion'];
  throw unsupportedVersion(typeof requested === 'string' ? requested : undefined, served);
}

/** Settles when what a message speaks is loaded, or cannot be; undefined if nothing has to be waited for. */
export function loadingFor(params: Params | readonly unknown[] | undefined): Promise<void> | undefined {
  const family = families[claimedVersion(params) === undefined ? 'stateful' : 'stateless'];
  if (family.isLoaded) return undefined;
  const done = (): void => {};
  return Promise.resolve(family.use(done)).catch(done);
}

/** True for the name of a revision of this family that is among those served. */
export function isServed(version: unknown, served: readonly string[], family: Family): version is string {
  return typeof version === 'string' && served.includes(version) && familyOf(version) === family;
}
