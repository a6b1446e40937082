/** Both families at once, for those who serve many clients: over HTTP nobody waits for a part to be loaded. */

import { families, revisionNamed } from './pick.ts';
import type { Revision } from './revision.ts';
import { statefulRevision } from './stateful/revision.ts';
import { statelessRevision } from './stateless/revision.ts';

/** Makes every revision ready to be spoken at once, from now on. */
export function haveEveryRevision(): void {
  families.stateful.have(statefulRevision);
  families.stateless.have(statelessRevision);
}

/** The revision of this name, where every one is ready. */
export function readyRevision(version: string): Revision {
  return revisionNamed(version) as Revision;
}
