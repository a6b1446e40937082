/** Used DPoP proofs within this process. */

import type { ProofStore, ProofUse } from './proof-store.ts';

/** How many proofs are kept. */
export interface ProofLimits {
  /** Proofs of one key. */
  readonly perKey: number;
  /** Proofs of all keys. */
  readonly total: number;
}

interface Used {
  /** By id: when the proof is no longer valid. */
  readonly proofs: Map<string, number>;
  /** When the last of them is no longer valid. */
  until: number;
}

/** Makes an empty store. No proof is forgotten before it expires. */
export function memoryProofStore(limits: ProofLimits): ProofStore {
  return new MemoryProofs(limits);
}

class MemoryProofs implements ProofStore {
  readonly #limits: ProofLimits;
  /** The key that was used last is last. */
  readonly #keys = new Map<string, Used>();
  #total = 0;

  constructor(limits: ProofLimits) {
    this.#limits = limits;
  }

  use(jkt: string, jti: string, until: number): ProofUse {
    const now = Date.now();
    this.#forgetExpired(now);
    const used = this.#keys.get(jkt) ?? { proofs: new Map<string, number>(), until };
    this.#forgetExpiredOf(used, now);
    const { proofs } = used;
    if ((proofs.get(jti) ?? 0) > now) return 'again';
    // A key gets at most as much room as it leaves free: many busy keys still leave some to every other key.
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

  #forgetExpired(now: number): void {
    for (const [jkt, { proofs, until }] of this.#keys) {
      if (until > now) return;
      this.#keys.delete(jkt);
      this.#total -= proofs.size;
    }
  }

  #forgetExpiredOf({ proofs }: Used, now: number): void {
    for (const [jti, until] of proofs) {
      if (until > now) return;
      proofs.delete(jti);
      this.#total--;
    }
  }
}
