/** Counts distinct member names by hash, because `JSON.parse` takes longest for names that it has not seen before. */
export class NameCount {
  readonly #seen = new Uint32Array(BITS / 32);
  // The seed is random, so that a sender cannot choose member names whose hashes collide.
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  different = 0;

  /** Counts the name in `bytes` from `start` to `end` (exclusive), unless it was counted before. Does not decode escapes. */
  add(bytes: Uint8Array, start: number, end: number): void {
    let hash = this.#seed;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    const bit = (hash ^ (hash >>> 12)) & (BITS - 1);
    const mask = 1 << (bit & 31);
    const word = this.#seen[bit >>> 5] as number;
    if ((word & mask) !== 0) return;
    this.#seen[bit >>> 5] = word | mask;
    this.different++;
  }
}

// Number of bits in the hash set. Names whose hashes share a bit are counted once.
const BITS = 2 ** 20;
