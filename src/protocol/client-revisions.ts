/** The client side of all revisions. Servers do not import this module, which keeps client code out of server bundles. */

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

export function revisionNamed(version: string): ClientRevision | undefined {
  return revisions.get(version);
}
