/** Proofs that were used: each is accepted once, and remembered for as long as it is valid. */

/** How much is remembered. */
export interface ProofLimits {
  /** Proofs of one key. */
  readonly perKey: number;
  /** Proofs of all keys. */
  readonly total: number;
}

/** `full`: the proof was not used, and cannot be accepted because it could not be remembered. */
export type ProofUse = 'first' | 'again' | 'full';

interface Used {
  /** By id: when the proof is no longer valid. */
  readonly proofs: Map<string, number>;
  /** When the last of them is no longer valid. */
  until: number;
}

/** Remembers the ids of proofs, by the key that signed them. No proof is forgotten before it expires. */
export class UsedProofs {
  readonly #limits: ProofLimits;
  /** The key that was used last is last. */
  readonly #keys = new Map<string, Used>();
  #total = 0;

  constructor(limits: ProofLimits) {
    this.#limits = limits;
  }

  /** Uses a proof that is valid until then, in milliseconds since 1970. */
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
