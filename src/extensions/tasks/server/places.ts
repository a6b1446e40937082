/** Places that callers take for as long as something of theirs lasts, so that nobody has more of it than there is. */

/** How many places there are. */
export interface PlacesBounds {
  /** For everybody together. */
  readonly all: number;
  /** For one principal. Callers nobody vouches for share only the bound for all. */
  readonly perOwner: number;
}

/** Counts who has how many. */
export class Places {
  readonly #bounds: PlacesBounds;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(bounds: PlacesBounds) {
    this.#bounds = bounds;
  }

  /** How many this owner can still take. */
  free(owner: string): number {
    const { all, perOwner } = this.#bounds;
    const own = owner === '' ? Number.POSITIVE_INFINITY : perOwner - (this.#taken.get(owner) ?? 0);
    return Math.max(Math.min(own, all - this.#all), 0);
  }

  /** Takes so many; the returned function gives them back. */
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
