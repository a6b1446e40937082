/** Roots: folders and files of the client that a server may use. */

import type { Meta } from './meta.ts';

/** A `file://` URI of a folder or file. Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
  readonly _meta?: Meta;
}

/** Result of `roots/list`. Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on. */
export interface ListRootsResult {
  readonly roots: readonly Root[];
}
