/** What was found out about a server: plain data, so that a later connection need not find it out again. */

import { isObject } from '../jsonrpc/message.ts';
import { revisionNamed } from '../protocol/client-revisions.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import type { Implementation } from '../protocol/model/implementation.ts';
import { isImplementation } from '../protocol/params.ts';
import type { ClientRevision as Revision } from '../protocol/revision.ts';

/** What a server says of itself when it is greeted. */
export interface ServerFacts {
  readonly capabilities: ServerCapabilities;
  readonly info: Implementation | undefined;
  readonly instructions: string | undefined;
}

/** Which revision a server speaks, and what it said of itself. It is JSON: keep it with the server's configuration. */
export interface ServerProfile {
  readonly revision: string;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo?: Implementation;
  readonly instructions?: string;
  /** When it was found out, in milliseconds since 1970. */
  readonly at: number;
}

// A server may learn a newer revision and would be spoken to in the old one for ever: nothing would ever fail.
const STATEFUL_GOOD_FOR = 24 * 60 * 60_000;

/** The verdict on a server. If it was reached by believing an earlier one, it is as old as that. */
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

/** The revision a verdict names, if the verdict can still be used. It may come from a file, so nothing is taken for granted. */
export function revisionIn(verdict: ServerProfile | undefined): Revision | undefined {
  if (!isObject(verdict) || typeof verdict['revision'] !== 'string') return undefined;
  const revision = revisionNamed(verdict['revision']);
  if (revision?.features.family !== 'stateful') return revision;
  const age = Date.now() - Number(verdict['at']);
  return age >= 0 && age < STATEFUL_GOOD_FOR ? revision : undefined;
}

/** What the verdict says of the server. */
export function factsIn({ capabilities, serverInfo, instructions }: ServerProfile): ServerFacts {
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    info: isImplementation(serverInfo) ? serverInfo : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}
