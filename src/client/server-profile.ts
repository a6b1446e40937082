/** Server profiles: what a connection has learned about a server, as JSON for later connections. */

import { isObject } from '../jsonrpc/message.ts';
import { revisionNamed } from '../protocol/client-revisions.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import { isImplementation } from '../protocol/params.ts';
import type { ClientRevision as Revision } from '../protocol/revision.ts';

export interface ServerFacts {
  readonly capabilities: ServerCapabilities;
  readonly info: Implementation | undefined;
  readonly instructions: string | undefined;
}

/** Revision, info and capabilities of a server. It is JSON, and can be stored with the configuration of the server. */
export interface ServerProfile {
  readonly revision: string;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo?: Implementation;
  readonly instructions?: string;
  /** Time of the negotiation, in milliseconds since 1970. */
  readonly at: number;
}

// Stateful profiles expire, because an upgraded server would otherwise never be probed for a stateless revision.
const STATEFUL_GOOD_FOR = 24 * 60 * 60_000;

/** Creates the profile of a server. If the handshake relied on the profile `before`, its timestamp is kept. */
export function profileOf({ features: facts }: Revision, server: ServerFacts, before?: ServerProfile): ServerProfile {
  const isBelieved = revisionIn(before)?.features.family === facts.family;
  return {
    revision: facts.version,
    capabilities: server.capabilities,
    ...(server.info ? { serverInfo: server.info } : {}),
    ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
    at: before && isBelieved ? before.at : Date.now(),
  };
}

/** Returns the revision in a profile, or undefined if unknown or expired. The profile can come from a file, unvalidated. */
export function revisionIn(verdict: ServerProfile | undefined): Revision | undefined {
  if (!isObject(verdict) || typeof verdict['revision'] !== 'string') return undefined;
  const revision = revisionNamed(verdict['revision']);
  if (revision?.features.family !== 'stateful') return revision;
  const age = Date.now() - Number(verdict['at']);
  return age >= 0 && age < STATEFUL_GOOD_FOR ? revision : undefined;
}

/** Returns the handshake data in a profile. Invalid members are left out. */
export function factsIn({ capabilities, serverInfo, instructions }: ServerProfile): ServerFacts {
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    info: isImplementation(serverInfo) ? serverInfo : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}
