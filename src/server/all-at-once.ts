/**
 * Everything that a server loads later, loaded. It is there before the first request is served: a module whose loading fails,
 * for instance because there is no free file descriptor, stays failed for as long as the process lives. Only the engine for raw
 * schemas is loaded apart from it, because of its size (prepare-engine.ts).
 */

import { haveEveryRevision } from '../protocol/every-revision.ts';
import * as paramHeaders from '../protocol/param-headers.ts';
import * as ambiguity from '../schema/ambiguity.ts';
import * as authors from '../schema/author-reader.ts';
import { authorReader } from '../schema/checked.ts';
import { reader } from './annotated.ts';
import * as asking from './asking.ts';
import * as batch from './batch.ts';
import { words } from './context.ts';
import * as work from './extension-work.ts';
import { extensionWork } from './extensions.ts';
import { batches } from './gate.ts';
import * as hidden from './hidden.ts';
import { hiding } from './hiding.ts';
import { rare } from './rare.ts';
import { rarely } from './rarely.ts';

/** Makes all of it ready, from now on. */
export function haveAllAtOnce(): void {
  haveEveryRevision();
  extensionWork.have(work);
  batches.have(batch);
  rarely.have(rare);
  words.have(asking);
  hiding.have(hidden);
  reader.have(paramHeaders);
  authorReader.have(authors);
  authors.ambiguity.have(ambiguity);
}
