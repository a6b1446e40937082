/**
 * Collections for values that live as long as one call. When V8 grows or shrinks a `Map` or `Set`, the old hash table keeps a
 * pointer to the new one. An old table that survived to the old generation of the heap thus keeps all later values alive until
 * the next full garbage collection. The tables here contain only keys and numbers, and the values are in an array.
 */

/** Values in numbered slots. A freed slot is used again. */
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

  /** Frees a slot. No effect if it is free. */
  remove(slot: number): void {
    if (this.#values[slot] === undefined) return;
    this.#values[slot] = undefined;
    this.#free.push(slot);
  }

  /** All values, in no particular order. Values may be removed during the iteration. */
  *[Symbol.iterator](): Generator<V, void> {
    for (const value of this.#values) if (value !== undefined) yield value;
  }
}

/** A map over `Slots`. `keys()` and `values()` return copies, so that entries may be deleted during an iteration. */
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

  /** The keys, in the order in which they were set. */
  keys(): K[] {
    return [...this.#slotOf.keys()];
  }

  values(): V[] {
    return [...this.#slots];
  }
}
