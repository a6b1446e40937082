/** Roots: folders the client lets a server look at. Deprecated by the protocol, kept for the clients that have it. */

import type { Meta } from './meta.ts';

/**
 * One folder or file, as a `file://` URI.
 * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on.
 */
export interface Root {
  readonly uri: string;
  readonly name?: string;
  readonly _meta?: Meta;
}

/**
 * What `roots/list` gives.
 * Deprecated by the specification (SEP-2577): roots may be removed from 2027-07-28 on.
 */
export interface ListRootsResult {
  readonly roots: readonly Root[];
}
