/** Remembers things for a time, and never more than so many. */

/** A map whose entries expire; the oldest go first when it is full. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #maxEntries: number;
  readonly #now: () => number;

  /** Entries expire by the wall clock, or by another one. */
  constructor(maxEntries: number, now: () => number = () => Date.now()) {
    this.#maxEntries = maxEntries;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What is remembered under this key, unless it has expired. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.until > this.#now() ? entry.value : undefined;
  }

  /** Forgets the value of this key. */
  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Remembers a value until this time of the clock, in milliseconds. */
  set(key: string, value: Value, until: number): void {
    const now = this.#now();
    this.#entries.delete(key);
    if (until <= now) return;
    for (const [oldest, entry] of this.#entries) {
      if (entry.until > now && this.#entries.size < this.#maxEntries) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, until });
  }
}
