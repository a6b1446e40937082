/** `Places`: counts resources in use, in total and per owner, against limits. */

export interface PlacesBounds {
  /** Maximum for all owners together. */
  readonly all: number;
  /** Maximum for one principal. Does not apply to unauthenticated callers. */
  readonly perOwner: number;
}

export class Places {
  readonly #bounds: PlacesBounds;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(bounds: PlacesBounds) {
    this.#bounds = bounds;
  }

  /** Returns how many more places this owner can take within the limits. */
  free(owner: string): number {
    const { all, perOwner } = this.#bounds;
    const own = owner === '' ? Number.POSITIVE_INFINITY : perOwner - (this.#taken.get(owner) ?? 0);
    return Math.max(Math.min(own, all - this.#all), 0);
  }

  /** Takes places without checking the limits. The returned function releases them and is idempotent. */
  take(owner: string, count: number): () => void {
    this.#add(owner, count);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(owner, -count);
      isTaken = false;
    };
  }

  #add(owner: string, count: number): void {
    this.#all += count;
    const own = (this.#taken.get(owner) ?? 0) + count;
    if (own > 0) this.#taken.set(owner, own);
    else this.#taken.delete(owner);
  }
}
