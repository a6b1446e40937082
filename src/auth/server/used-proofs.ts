/** Proofs that were used: each is good once, for as long as it would be good at all. */

import { ExpiringMap } from './expiring-map.ts';

/** How much is remembered. */
export interface ProofLimits {
  /** Proofs of one key: whoever makes more pushes out only proofs of their own. */
  readonly perKey: number;
  /** Proofs of all keys; then those of the key go that was not used for the longest time. */
  readonly total: number;
}

interface Used {
  readonly proofs: ExpiringMap<true>;
  /** When the last of them is no longer good. */
  readonly until: number;
}

/** Remembers the ids of proofs, by the key they were made with. */
export class UsedProofs {
  readonly #limits: ProofLimits;
  /** Those that were used last are last. */
  readonly #keys = new Map<string, Used>();
  #total = 0;

  constructor(limits: ProofLimits) {
    this.#limits = limits;
  }

  /** False if this proof was used before. It is good until then, in milliseconds since 1970. */
  use(jkt: string, jti: string, until: number): boolean {
    const used = this.#keys.get(jkt);
    const proofs = used?.proofs ?? new ExpiringMap<true>(this.#limits.perKey);
    if (proofs.get(jti)) return false;
    this.#total -= proofs.size;
    proofs.set(jti, true, until);
    this.#total += proofs.size;
    this.#keys.delete(jkt);
    this.#forget();
    this.#keys.set(jkt, { proofs, until: Math.max(until, used?.until ?? 0) });
    return true;
  }

  #forget(): void {
    const now = Date.now();
    for (const [jkt, { proofs, until }] of this.#keys) {
      if (until > now && this.#total <= this.#limits.total) return;
      this.#keys.delete(jkt);
      this.#total -= proofs.size;
    }
  }
}
