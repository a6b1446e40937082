/** For those who serve many clients: what others load with the first message is there from the start, and nobody waits. */

import { haveEveryRevision } from '../protocol/every-revision.ts';
import * as batch from './batch.ts';
import * as work from './extension-work.ts';
import { extensionWork } from './extensions.ts';
import { batches } from './gate.ts';

/** Makes all of it ready, from now on. */
export function haveAllAtOnce(): void {
  haveEveryRevision();
  extensionWork.have(work);
  batches.have(batch);
}
