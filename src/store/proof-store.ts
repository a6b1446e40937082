/** Stores used DPoP proofs, so that all nodes together accept each proof only once (RFC 9449, section 11.1). */

import type { MaybePromise } from '../jsonrpc/maybe-promise.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Result of using a DPoP proof: `first` is accepted, `again` is refused as a replay, `full` is refused for lack of room. */
export type ProofUse = 'first' | 'again' | 'full';

/** Store of used DPoP proofs, keyed by the thumbprint of the key (`jkt`) and the id of the proof (`jti`). */
export interface ProofStore extends Lifecycle {
  /**
   * Records the use of a proof. Atomic: of two nodes that use the same proof, only one gets `first`. The store must keep the
   * record until `until`, in milliseconds since 1970. Must reject if the store is unreachable: the request then gets HTTP 503.
   */
  use(jkt: string, jti: string, until: number): MaybePromise<ProofUse>;
}

export interface ProofLimits {
  readonly perKey: number;
  readonly total: number;
}

interface Used {
  /** Expiry of each proof, in milliseconds since 1970, keyed by `jti`. */
  readonly proofs: Map<string, number>;
  /** Latest expiry of the key's proofs, in milliseconds since 1970. */
  until: number;
}

/** Creates a proof store in memory. A full store refuses new proofs, and removes no proof before its expiry. */
export function memoryProofStore(limits: ProofLimits): ProofStore {
  return new MemoryProofs(limits);
}

class MemoryProofs implements ProofStore {
  readonly #limits: ProofLimits;
  /** Used proofs, keyed by the thumbprint `jkt` of the key, in the order in which the keys were last used. */
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
    // A key may have at most as many proofs as the store has free places, so that a few busy keys cannot fill the store.
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
