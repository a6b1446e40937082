/** A map that frees removed values at once, for values that live as long as one call. */

/**
 * Keeps the values in slots of an array. A `Map` can keep removed values alive: when V8 resizes its hash table, the old table
 * points to the new one, and only a full garbage collection frees an old table in the old generation of the heap. The hash
 * table of a `SlotMap` has only keys and slot numbers. `keys()` and `values()` return copies.
 */
export class SlotMap<K, V> {
  readonly #slotOf = new Map<K, number>();
  readonly #values: (V | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slotOf.size;
  }

  has(key: K): boolean {
    return this.#slotOf.has(key);
  }

  get(key: K): V | undefined {
    const slot = this.#slotOf.get(key);
    return slot === undefined ? undefined : this.#values[slot];
  }

  set(key: K, value: V): void {
    this.delete(key);
    const slot = this.#free.pop() ?? this.#values.length;
    this.#values[slot] = value;
    this.#slotOf.set(key, slot);
  }

  delete(key: K): boolean {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return false;
    this.#values[slot] = undefined;
    this.#free.push(slot);
    return this.#slotOf.delete(key);
  }

  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  /** Returns the keys in the order in which they were set. */
  keys(): K[] {
    return [...this.#slotOf.keys()];
  }

  values(): V[] {
    return this.#values.filter((value) => value !== undefined);
  }
}
