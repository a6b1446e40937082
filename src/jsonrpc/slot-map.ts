/**
 * Collections for what comes and goes with every call. A `Map` or a `Set` would do, but whenever V8 makes room in one, the
 * table it leaves behind goes on pointing at the next one: a table that was there for long keeps alive whatever is put into
 * those that follow, until all memory is gone through. Here the tables hold nothing but numbers.
 */

/** Values in numbered places. A place that is given back is used again. */
export class Slots<V> {
  readonly #values: (V | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#values.length - this.#free.length;
  }

  /** Keeps a value, and gives the number of its place. */
  add(value: V): number {
    const place = this.#free.pop() ?? this.#values.length;
    this.#values[place] = value;
    return place;
  }

  get(place: number): V | undefined {
    return this.#values[place];
  }

  /** Gives a place back; nothing if it is free already. */
  remove(place: number): void {
    if (this.#values[place] === undefined) return;
    this.#values[place] = undefined;
    this.#free.push(place);
  }

  /** All of them, in no particular order. Some may be removed meanwhile. */
  *[Symbol.iterator](): Generator<V, void> {
    for (const value of this.#values) if (value !== undefined) yield value;
  }
}

/** The same by key, like a `Map`. */
export class SlotMap<K, V> {
  readonly #placeOf = new Map<K, number>();
  readonly #places = new Slots<V>();

  get size(): number {
    return this.#places.size;
  }

  has(key: K): boolean {
    return this.#placeOf.has(key);
  }

  get(key: K): V | undefined {
    const place = this.#placeOf.get(key);
    return place === undefined ? undefined : this.#places.get(place);
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#placeOf.set(key, this.#places.add(value));
  }

  delete(key: K): boolean {
    const place = this.#placeOf.get(key);
    if (place === undefined) return false;
    this.#places.remove(place);
    return this.#placeOf.delete(key);
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  /** In the order in which they were set, as they are now. */
  keys(): K[] {
    return [...this.#placeOf.keys()];
  }

  values(): V[] {
    return [...this.#places];
  }
}
