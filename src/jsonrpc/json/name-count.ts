/** How many different member names a message has, roughly: `JSON.parse` takes longer for a new name than for anything else. */

const BITS = 2 ** 20;
// What names are taken for the same cannot be foreseen from outside.
const SEED = Math.floor(Math.random() * 2 ** 32);

/** Names with the same hash count once. */
export class NameCount {
  readonly #seen = new Uint32Array(BITS / 32);
  /** Different names so far. */
  different = 0;

  /** Counts the name between these positions, as it is written. */
  add(bytes: Uint8Array, start: number, end: number): void {
    let hash = SEED;
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
