/** `ExpiringMap`: map whose entries expire. If the map is full, the oldest entries are removed. */

export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #maxEntries: number;
  readonly #now: () => number;

  /** `now` is the clock of the expiry times, in milliseconds. Default: `Date.now()`. */
  constructor(maxEntries: number, now: () => number = () => Date.now()) {
    this.#maxEntries = maxEntries;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.until > this.#now() ? entry.value : undefined;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Stores a value until the time `until` of the clock, in milliseconds. */
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
