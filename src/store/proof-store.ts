/** Stores used DPoP proofs, so that each is accepted once, on all nodes together (RFC 9449, 11.1). */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import type { Lifecycle } from './lifecycle.ts';

/**
 * The result of using a proof. `first`: accepted. `again`: refused as a replay. `full`: refused, because the store has no room
 * to record it.
 */
export type ProofUse = 'first' | 'again' | 'full';

/** Used proofs, by the thumbprint of their key (`jkt`) and their id (`jti`). */
export interface ProofStore extends Lifecycle {
  /**
   * Records the use of a proof, atomically: of two nodes that get the same proof, one gets `first`. The record is needed until
   * `until`, in milliseconds since 1970. If the store cannot be reached it must reject: the request then gets 503.
   */
  use(jkt: string, jti: string, until: number): MaybePromise<ProofUse>;
}

/** Maximum numbers of used proofs that a store holds. */
export interface ProofLimits {
  readonly perKey: number;
  readonly total: number;
}

interface Used {
  /** Expiry of each proof by its id, in milliseconds since 1970. */
  readonly proofs: Map<string, number>;
  /** Latest expiry of the proofs of the key. */
  until: number;
}

/** Creates a proof store in memory. When it is full, new proofs are refused; none is removed before it expires. */
export function memoryProofStore(limits: ProofLimits): ProofStore {
  return new MemoryProofs(limits);
}

class MemoryProofs implements ProofStore {
  readonly #limits: ProofLimits;
  /** Used proofs by the thumbprint of their key, in the order of the last use of the key. */
  readonly #keys = new Map<string, Used>();
  #total = 0;

  constructor(limits: ProofLimits) {
    this.#limits = limits;
  }

  use(jkt: string, jti: string, until: number): ProofUse {
    const now = Date.now();
    this.#removeExpired(now);
    const used = this.#keys.get(jkt) ?? { proofs: new Map<string, number>(), until };
    this.#removeExpiredOf(used, now);
    const { proofs } = used;
    if ((proofs.get(jti) ?? 0) > now) return 'again';
    // Limits each key to the room that is left in the store, so that a few busy keys cannot fill it.
    const room = Math.min(this.#limits.perKey, this.#limits.total - this.#total);
    if (proofs.size >= room) return 'full';
    this.#total += proofs.delete(jti) ? 0 : 1;
    proofs.set(jti, until);
    used.until = Math.max(until, used.until);
    this.#keys.delete(jkt);
    this.#keys.set(jkt, used);
    return 'first';
  }

  close(): void {
    this.#keys.clear();
    this.#total = 0;
  }

  #removeExpired(now: number): void {
    for (const [jkt, { proofs, until }] of this.#keys) {
      if (until > now) return;
      this.#keys.delete(jkt);
      this.#total -= proofs.size;
    }
  }

  #removeExpiredOf({ proofs }: Used, now: number): void {
    for (const [jti, until] of proofs) {
      if (until > now) return;
      proofs.delete(jti);
      this.#total--;
    }
  }
}
