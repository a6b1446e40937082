/**
 * Everything that a server loads later, loaded. It is there before the first request is served: a module whose loading fails,
 * for instance because there is no free file descriptor, stays failed for as long as the process lives.
 */

import { haveEveryRevision } from '../protocol/every-revision.ts';
import * as paramHeaders from '../protocol/param-headers.ts';
import * as ambiguity from '../schema/ambiguity.ts';
import * as authors from '../schema/author-reader.ts';
import { authorReader, engine } from '../schema/checked.ts';
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
import type { Served } from './served.ts';

/** Makes all of it ready, from now on. Settles when also the engine for raw schemas is loaded; undefined if it is. */
export function haveAllAtOnce(): Promise<void> | undefined {
  haveEveryRevision();
  extensionWork.have(work);
  batches.have(batch);
  rarely.have(rare);
  words.have(asking);
  hiding.have(hidden);
  reader.have(paramHeaders);
  authorReader.have(authors);
  authors.ambiguity.have(ambiguity);
  return engine.load();
}

/** The same as part of a server's preparation, for callers that cannot wait or wait for that. */
export function prepareAllAtOnce(server: Served): void {
  const { preparation, report } = server['~parts'];
  const loading = haveAllAtOnce();
  if (loading) preparation.add(loading, (error) => report(error, { method: 'serve' }));
}
