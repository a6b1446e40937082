/**
 * Collections whose values are freed as soon as they are removed, for values that live as long as one call. A `Map` or `Set` may
 * keep removed values alive: when V8 resizes one, the old hash table keeps a pointer to the new one, and an old table in the old
 * generation of the heap is freed only by a full garbage collection. Hash tables here contain only keys and slot numbers.
 */

/** Values in numbered slots of an array. The number of a freed slot is given to a later value. */
export class Slots<V> {
  readonly #values: (V | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#values.length - this.#free.length;
  }

  /** Adds a value and returns the number of its slot. */
  add(value: V): number {
    const slot = this.#free.pop() ?? this.#values.length;
    this.#values[slot] = value;
    return slot;
  }

  get(slot: number): V | undefined {
    return this.#values[slot];
  }

  /** Frees a slot. No effect if the slot is free already. */
  remove(slot: number): void {
    if (this.#values[slot] === undefined) return;
    this.#values[slot] = undefined;
    this.#free.push(slot);
  }

  /** Iterates over all values, in no particular order. Values may be removed during the iteration. */
  *[Symbol.iterator](): Generator<V, void> {
    for (const value of this.#values) if (value !== undefined) yield value;
  }
}

/** A map whose values are in `Slots`. `keys()` and `values()` return copies: entries may be deleted during an iteration. */
export class SlotMap<K, V> {
  readonly #slotOf = new Map<K, number>();
  readonly #slots = new Slots<V>();

  get size(): number {
    return this.#slots.size;
  }

  has(key: K): boolean {
    return this.#slotOf.has(key);
  }

  get(key: K): V | undefined {
    const slot = this.#slotOf.get(key);
    return slot === undefined ? undefined : this.#slots.get(slot);
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#slotOf.set(key, this.#slots.add(value));
  }

  delete(key: K): boolean {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return false;
    this.#slots.remove(slot);
    return this.#slotOf.delete(key);
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  /** Returns the keys, in the order in which they were set. */
  keys(): K[] {
    return [...this.#slotOf.keys()];
  }

  values(): V[] {
    return [...this.#slots];
  }
}
