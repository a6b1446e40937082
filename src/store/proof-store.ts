/** Where the DPoP proofs that were used are kept: each is accepted once, on whichever node it is shown (RFC 9449, 11.1). */

import type { Lifecycle, MaybePromise } from './lifecycle.ts';

/** `first`: accepted. `again`: used before. `full`: not used before, but it cannot be kept, so it cannot be accepted. */
export type ProofUse = 'first' | 'again' | 'full';

/** Used proofs, by the thumbprint of the key that signed them and their `jti`. */
export interface ProofStore extends Lifecycle {
  /**
   * Uses a proof, atomically: of two nodes that are shown the same proof, one gets `first`. It is kept until `until`, in
   * milliseconds since 1970, and not longer than needed. Rejects if that cannot be found out: then the request gets 503.
   */
  use(jkt: string, jti: string, until: number): MaybePromise<ProofUse>;
}
