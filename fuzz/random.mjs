// Random numbers that are the same for the same seed on every machine (mulberry32).

export class Random {
  #seed;
  #state;

  constructor(seed) {
    this.#seed = seed >>> 0;
    this.#state = this.#seed;
  }

  /** A number from 0 up to, but not including, 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from 0 up to, but not including, `limit`. */
  below(limit) {
    return Math.floor(this.next() * limit);
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** One of `[weight, value]`. */
  weighted(choices) {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return choices[0][1];
  }

  /** A source for a part of the work, independent of how many numbers were drawn before. */
  fork(label) {
    let hash = this.#seed ^ 0x811c9dc5;
    for (const character of String(label)) hash = Math.imul(hash ^ character.codePointAt(0), 0x01000193);
    return new Random(hash ^ (hash >>> 15));
  }
}
