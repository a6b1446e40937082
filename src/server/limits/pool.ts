/** A bounded resource that callers share: running calls, open streams, bytes of memory. */

/** The fraction of a pool that one caller may hold while others hold some and more than half of the pool is in use. */
const SHARE = 1 / 4;
/** The fraction that a single caller cannot use up, so that other callers find room. */
const RESERVE = 1 / 8;
/** Smaller limits have no reserve: a user who sets a limit of 10 expects 10. */
const SMALLEST_WITH_RESERVE = 1000;

/** The caller whose use is counted. `caller` may be a getter: it is read only if more than half of the pool is in use. */
export interface CallerRef {
  /** The principal, else the client's address. */
  readonly caller: string;
}

/** Counts the use of the resource, in total and per caller. Amounts are integers. */
export class Pool {
  readonly limit: number;
  readonly #share: number;
  readonly #reserve: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  /** `share`: the amount that one caller may hold while others hold some. Default: a quarter of the limit. */
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
   * True if the caller may take `amount` more. Up to half of the limit, every caller may. Above that, a caller is limited to
   * its share, or to all but the reserve if no other caller holds anything.
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

  /** Adds `amount` to what the caller holds, even if there is no room. */
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
