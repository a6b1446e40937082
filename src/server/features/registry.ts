/** Registered tools, prompts, resources or templates, by name. Each entry is encoded once per revision, and so is the whole list. */

import { closest } from '../../jsonrpc/closest.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import type { EncodedJson, Params } from '../../jsonrpc/message.ts';
import { shorten } from '../../jsonrpc/printable.ts';
import type { CacheHints, ListKind, Revision, ServerInfo, Viewer } from '../../protocol/revision.ts';
import { type Page, pageOf } from './pagination.ts';

/** Decides whether someone may see an entry; hidden means absent from the list and unknown when called. */
export type Visible = (viewer: Viewer) => boolean;

/** One entry: what the list shows, and whether it does. */
export interface Entry {
  readonly key: string;
  readonly definition: object;
  readonly visible?: Visible | undefined;
  /** What a caller must have been granted to use it. */
  readonly scopes?: readonly string[] | undefined;
  /** What clients are told of its plain errors; undefined: what the server says. */
  readonly errors?: ErrorDisclosure | undefined;
}

/** Lets a server's entries of one kind be looked up, switched off and on, and taken away at run time. */
export interface Features {
  /** The names of all entries, also of hidden and disabled ones. */
  readonly names: readonly string[];
  /** True if there is such an entry, hidden or not. */
  has(name: string): boolean;
  /** Takes the entry out of the list and refuses calls. False if there is no such entry. */
  disable(name: string): boolean;
  /** Puts it back, at the place it had. */
  enable(name: string): boolean;
  /** Takes the entry away for good. */
  remove(name: string): boolean;
}

interface Slot<E> {
  entry: E;
  enabled: boolean;
  /** The entry's JSON, by revision. */
  encoded: Map<string, string>;
}

interface Shown<E> {
  readonly key: string;
  readonly slot: Slot<E>;
}

/** The entries of one kind, in the order they were registered in. */
export class Registry<E extends Entry> implements Features {
  readonly #kind: ListKind;
  readonly #noun: string;
  readonly #onChange: () => void;
  readonly #onError: (error: unknown) => void;
  readonly #slots = new Map<string, Slot<E>>();
  readonly #lists = new Map<string, EncodedJson>();
  #filtered = false;
  #scoped = false;
  #guarded = false;

  constructor(kind: ListKind, noun: string, onChange: () => void, onError: (error: unknown) => void) {
    this.#kind = kind;
    this.#onError = onError;
    this.#noun = noun;
    this.#onChange = onChange;
  }

  /** How many entries there are, also of hidden and disabled ones. */
  get size(): number {
    return this.#slots.size;
  }

  get names(): readonly string[] {
    return [...this.#slots.keys()];
  }

  has(name: string): boolean {
    return this.#slots.has(name);
  }

  /** Adds an entry. A name that is taken is an error, unless the new entry is to take its place. */
  add(entry: E, replace: boolean): void {
    const slot = this.#slots.get(entry.key);
    if (slot && !replace) {
      throw new TypeError(`${this.#noun} "${entry.key}" is registered already; pass replace: true to replace it`);
    }
    this.#slots.set(entry.key, { entry, enabled: true, encoded: new Map() });
    this.#changed();
  }

  enable(name: string): boolean {
    return this.#switch(name, true);
  }

  disable(name: string): boolean {
    return this.#switch(name, false);
  }

  remove(name: string): boolean {
    const removed = this.#slots.delete(name);
    if (removed) this.#changed();
    return removed;
  }

  /** The entry of this name, if the viewer may know of it. */
  get(name: string, viewer: Viewer): E | undefined {
    const slot = this.#slots.get(name);
    return slot?.enabled && this.#isVisible(slot.entry, viewer) ? slot.entry : undefined;
  }

  /** True if some entry needs scopes. */
  get isScoped(): boolean {
    return this.#scoped;
  }

  /** True if some entry is not for everybody: switched off, hidden from some, or in need of scopes. */
  get isGuarded(): boolean {
    return this.#guarded;
  }

  /** The entry of this name, whoever may know of it: to see whether it is worth finding that out. */
  peek(name: unknown): E | undefined {
    return this.#slots.get(name as string)?.entry;
  }

  /** Every entry the viewer may know of. */
  *entries(viewer: Viewer): Generator<E> {
    for (const { entry, enabled } of this.#slots.values()) if (enabled && this.#isVisible(entry, viewer)) yield entry;
  }

  /** A page of definitions as objects, for middleware. */
  list(params: Params, viewer: Viewer, pageSize: number): object {
    const { entries, nextCursor } = this.#page(params, viewer, pageSize);
    const items = entries.map(({ slot }) => slot.entry.definition);
    return nextCursor === undefined ? { [this.#kind]: items } : { [this.#kind]: items, nextCursor };
  }

  /** The same page as JSON. The first page, if everybody gets the same one, is kept until something changes. */
  encodedList(params: Params, viewer: Viewer, revision: Revision, host: ServerInfo, pageSize: number): EncodedJson {
    const { version } = revision.features;
    const keep = params['cursor'] === undefined && !this.#filtered;
    const kept = keep ? this.#lists.get(version) : undefined;
    if (kept) return kept;
    const { entries, nextCursor } = this.#page(params, viewer, pageSize);
    const items = entries.map(({ slot }) => this.#encode(slot, revision));
    const list = revision.encodePage({ kind: this.#kind, items, nextCursor, cache: this.cache(host.cache) }, host);
    if (keep) this.#lists.set(version, list);
    return list;
  }

  /** A list that is not the same for everybody must not be shared, whatever else was configured. */
  cache(hints: CacheHints): CacheHints {
    return this.#filtered ? { ...hints, cacheScope: 'private' } : hints;
  }

  #page(params: Params, viewer: Viewer, pageSize: number): Page<Shown<E>> {
    const shown: Shown<E>[] = [];
    for (const [key, slot] of this.#slots) {
      if (slot.enabled && this.#isVisible(slot.entry, viewer)) shown.push({ key, slot });
    }
    return pageOf(this.#kind, shown, params['cursor'], pageSize);
  }

  #encode(slot: Slot<E>, revision: Revision): string {
    const { version } = revision.features;
    let text = slot.encoded.get(version);
    if (text === undefined) {
      text = JSON.stringify(revision.encodeListEntry(this.#kind, slot.entry.definition));
      slot.encoded.set(version, text);
    }
    return text;
  }

  // What cannot be decided is not shown.
  #isVisible({ visible }: E, viewer: Viewer): boolean {
    try {
      return visible === undefined || visible(viewer) === true;
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }

  #switch(name: string, enabled: boolean): boolean {
    const slot = this.#slots.get(name);
    if (slot && slot.enabled !== enabled) {
      slot.enabled = enabled;
      this.#changed();
    }
    return slot !== undefined;
  }

  #changed(): void {
    this.#lists.clear();
    const slots = [...this.#slots.values()];
    this.#filtered = slots.some(({ entry }) => entry.visible !== undefined);
    this.#scoped = slots.some(({ entry }) => entry.scopes !== undefined);
    this.#guarded = this.#filtered || this.#scoped || slots.some(({ enabled }) => !enabled);
    this.#onChange();
  }
}

/** -32602 with the name that was probably meant, among those that the viewer may know of. */
export function unknownName<E extends Entry>(
  noun: string,
  name: string,
  registry: Registry<E>,
  viewer: Viewer,
): RpcError {
  const meant = closest(name, namesFor(registry, viewer));
  const advice = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return RpcError.invalidParams(`Unknown ${noun}: ${shorten(name)}${advice}`);
}

function* namesFor<E extends Entry>(registry: Registry<E>, viewer: Viewer): Generator<string> {
  for (const { key } of registry.entries(viewer)) yield key;
}

/**
 * What a client is told of an error that is neither a `ToolError` nor an `RpcError`: `hidden` sends a reference by which
 * the error is found in `onError`, `messages` sends the error's message. Stacks, causes and properties are never sent.
 */
export type ErrorDisclosure = 'hidden' | 'messages';

/** Throws a TypeError if the option `errors` has another value. */
export function checkErrors(where: string, errors: unknown): void {
  if (errors === undefined || errors === 'hidden' || errors === 'messages') return;
  throw new TypeError(`${where}: errors must be "hidden" or "messages"`);
}
