/** Both families at once, for those who serve many clients: over HTTP nobody waits for a revision to be loaded. */

import { loaders } from './pick.ts';
import { statefulRevision } from './stateful/revision.ts';
import { statelessRevision } from './stateless/revision.ts';

/** Makes every revision ready to be spoken at once, from now on. */
export function haveEveryRevision(): void {
  loaders.stateful.have(statefulRevision);
  loaders.stateless.have(statelessRevision);
}
