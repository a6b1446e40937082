/** A bounded resource that callers share: running calls, open streams, bytes of memory. */

/** Default fraction of a pool that one caller may hold while others hold some and more than half of the pool is in use. */
const SHARE = 1 / 4;
/** Fraction of a pool that a caller cannot take even if it is the only one, so that the next caller finds room. */
const RESERVE = 1 / 8;
/** Smallest limit of a pool that has a reserve. A user who sets a limit of 10 expects that one caller can have 10. */
const SMALLEST_WITH_RESERVE = 1000;

/** Names a caller. `caller` may be an expensive getter: `hasRoom` reads it only if more than half of the pool is in use. */
export interface CallerRef {
  /** Key of the principal, else of the client's address. */
  readonly caller: string;
}

/** Counts how much of a bounded resource is in use, in total and per caller. Amounts are integers. */
export class Pool {
  readonly limit: number;
  readonly #share: number;
  readonly #reserve: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  /** Makes a pool. `share` is the amount that one caller may hold while others hold some. Default: a quarter of `limit`. */
  constructor(limit: number, share: number = Math.ceil(limit * SHARE)) {
    this.limit = limit;
    this.#share = Math.min(share, limit);
    this.#reserve = limit < SMALLEST_WITH_RESERVE ? 0 : Math.floor(limit * RESERVE);
  }

  /** The amount that all callers hold. */
  get used(): number {
    return this.#used;
  }

  /**
   * True if the caller may take `amount` more. While no more than half of the limit is in use, every caller may. Above that, a
   * caller is limited to its share, or, if no other caller holds anything, to the limit without the reserve.
   */
  hasRoom(ref: CallerRef, amount = 1): boolean {
    const used = this.#used + amount;
    if (used * 2 <= this.limit) return true;
    if (used > this.limit) return false;
    const { caller } = ref;
    const held = this.#held.get(caller);
    if ((held ?? 0) + amount <= this.#share) return true;
    const competitors = this.#held.size - (held === undefined ? 0 : 1);
    return competitors === 0 && used <= this.limit - this.#reserve;
  }

  /** Adds `amount` to what the caller holds. Does not check the limit: call `hasRoom` first. */
  take(caller: string, amount = 1): void {
    this.#used += amount;
    this.#held.set(caller, (this.#held.get(caller) ?? 0) + amount);
  }

  /** Subtracts `amount` from what the caller holds. */
  release(caller: string, amount = 1): void {
    this.#used -= amount;
    const left = (this.#held.get(caller) ?? 0) - amount;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
  }
}
