/** The client side of all revisions. Servers do not import this module, to keep it out of their bundles. */

import type { ClientRevision } from './revision.ts';
import { REVISIONS } from './revisions.ts';
import { statefulClientRevision } from './stateful/client.ts';
import { statelessClientRevision } from './stateless/client.ts';

const revisions: ReadonlyMap<string, ClientRevision> = new Map(
  REVISIONS.map((features) => [
    features.version,
    features.family === 'stateless' ? statelessClientRevision(features) : statefulClientRevision(features),
  ]),
);

/** Returns the client side of the revision with this version; undefined if there is none. */
export function revisionNamed(version: string): ClientRevision | undefined {
  return revisions.get(version);
}
