/** A bounded resource that callers share: places for running calls, open streams, bytes of memory. */

/** The part of a pool that one caller may hold while others use the pool and more than half of it is in use. */
const SHARE = 1 / 4;
/** The part that is kept free for callers within their share, so that one caller alone cannot shut the others out. */
const RESERVE = 1 / 8;
/** A smaller limit is chosen by hand and has no reserve: it means the number that it says. */
const SMALLEST_WITH_RESERVE = 1000;

/** Whose use is counted. The key is asked for only if it matters, because finding it costs time. */
export interface CallerRef {
  /** The principal, else the client's address. */
  readonly caller: string;
}

/** Counts what is held, in all and by each caller. Amounts are whole numbers. */
export class Pool {
  readonly limit: number;
  readonly #share: number;
  readonly #reserve: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  /** `share` is what one caller may hold in competition with others. Default: a quarter of the limit. */
  constructor(limit: number, share: number = Math.ceil(limit * SHARE)) {
    this.limit = limit;
    this.#share = Math.min(share, limit);
    this.#reserve = limit < SMALLEST_WITH_RESERVE ? 0 : Math.floor(limit * RESERVE);
  }

  /** What all callers hold together. */
  get used(): number {
    return this.#used;
  }

  /**
   * True if the caller may take `amount` more. Up to half of the limit everybody may. Above it a caller with competitors
   * keeps to its share, and a caller alone leaves the reserve free.
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

  /** Counts `amount` for the caller, whether there is room for it or not. */
  take(caller: string, amount = 1): void {
    this.#used += amount;
    this.#held.set(caller, (this.#held.get(caller) ?? 0) + amount);
  }

  /** Counts `amount` less for the caller. */
  release(caller: string, amount = 1): void {
    this.#used -= amount;
    const left = (this.#held.get(caller) ?? 0) - amount;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
  }
}
