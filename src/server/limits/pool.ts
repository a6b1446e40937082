/** `Pool`: counts the use of a resource that callers share, such as running calls or bytes of memory. Amounts are integers. */

/** Default fraction of a pool for one caller, enforced if other callers use the pool and more than half of it is in use. */
const SHARE = 1 / 4;
/** Fraction of a pool that a caller cannot take even if no other caller uses the pool, so that the next caller finds room. */
const RESERVE = 1 / 8;
/** Pools with a smaller limit have no reserve: a user who sets a limit of 10 expects that one caller can have 10. */
const SMALLEST_WITH_RESERVE = 1000;

/** Identifies a caller. `caller` can be an expensive getter: `hasRoom` reads it only if more than half of a pool is in use. */
export interface CallerRef {
  /** The principal's key, else the client's address, else an empty string. */
  readonly caller: string;
}

export class Pool {
  readonly limit: number;
  readonly #share: number;
  readonly #reserve: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  /** `share` is the maximum per caller if others use the pool and over half of it is in use. Default: a quarter of `limit`. */
  constructor(limit: number, share: number = Math.ceil(limit * SHARE)) {
    this.limit = limit;
    this.#share = Math.min(share, limit);
    this.#reserve = limit < SMALLEST_WITH_RESERVE ? 0 : Math.floor(limit * RESERVE);
  }

  get used(): number {
    return this.#used;
  }

  /**
   * True if the caller may take `amount` more. Until half of the limit is in use, every caller may take more. After that, a
   * caller may hold at most its share; if no other caller uses the pool, it may hold the limit minus the reserve.
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

  /** Records that the caller uses `amount` more of the pool until `release`. Call `hasRoom` first, to check the limit. */
  take(caller: string, amount = 1): void {
    this.#used += amount;
    this.#held.set(caller, (this.#held.get(caller) ?? 0) + amount);
  }

  release(caller: string, amount = 1): void {
    this.#used -= amount;
    const left = (this.#held.get(caller) ?? 0) - amount;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
  }
}
