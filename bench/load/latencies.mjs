// How long requests took: kept in some thousand counters, so that a run of millions costs nothing.

// Each is two percent longer than the one before, from a microsecond on.
const GROWTH = Math.log(1.02);

/** Counts durations, and gives those that so many stayed below. */
export class Latencies {
  #counts = new Uint32Array(1200);
  #all = 0;

  add(milliseconds) {
    const index = milliseconds <= 0.001 ? 0 : Math.min(Math.round(Math.log(milliseconds * 1000) / GROWTH), 1199);
    this.#counts[index]++;
    this.#all++;
  }

  /** The duration that this share of all stayed below, in milliseconds; NaN if there are none. */
  quantile(share) {
    if (this.#all === 0) return Number.NaN;
    let seen = 0;
    for (const [index, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= share * this.#all) return Math.exp(index * GROWTH) / 1000;
    }
    return Number.NaN;
  }
}
