/** `Registry`: a server's tools, prompts, resources or resource templates, in the order of registration. */

import type { EncodedJson, Params } from '../../jsonrpc/message.ts';
import type { CacheHints, ListKind, Revision, ServerInfo, Viewer } from '../../protocol/revision.ts';
import { type Page, pageOf } from './pagination.ts';

/** Returns true if the viewer may see an entry. For other viewers, the entry behaves as if it were not registered. */
export type Visible = (viewer: Viewer) => boolean;

export interface Entry {
  /** Name of a tool or prompt, URI of a resource, or URI template. */
  readonly key: string;
  /** The entry as `tools/list` and the other lists return it, before encoding for a revision. */
  readonly definition: object;
  readonly visible?: Visible | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly errors?: ErrorDisclosure | undefined;
}

/** All registered tools, prompts, resources or resource templates, to inspect, disable or remove them at run time. */
export interface Features {
  /** Names, URIs or URI templates of all entries, including hidden and disabled entries. */
  readonly names: readonly string[];
  /** True if an entry with this name is registered, even if the entry is hidden or disabled. */
  has(name: string): boolean;
  /** Hides the entry from all callers until `enable`. Returns false if the entry is not registered. */
  disable(name: string): boolean;
  /** Undoes `disable`. The entry keeps its position in lists. Returns false if the entry is not registered. */
  enable(name: string): boolean;
  /** Removes the entry. Returns false if the entry is not registered. */
  remove(name: string): boolean;
}

interface Slot<E> {
  readonly key: string;
  readonly entry: E;
  enabled: boolean;
  /** Cached JSON of `entry.definition` for list results, keyed by protocol version. */
  readonly encoded: Map<string, string>;
}

export class Registry<E extends Entry> implements Features {
  requiresScopes = false;
  /** True if an entry is disabled, requires scopes or has the option `visible`: not every caller may use every entry. */
  hasRestrictedEntries = false;
  readonly #kind: ListKind;
  readonly #noun: string;
  readonly #onChange: () => void;
  readonly #onError: (error: unknown) => void;
  readonly #slots = new Map<string, Slot<E>>();
  /** Cached JSON of the first page, keyed by protocol version. Empty if an entry has `visible`: lists then differ by viewer. */
  readonly #lists = new Map<string, EncodedJson>();
  #filtered = false;

  constructor(kind: ListKind, noun: string, onChange: () => void, onError: (error: unknown) => void) {
    this.#kind = kind;
    this.#onError = onError;
    this.#noun = noun;
    this.#onChange = onChange;
  }

  get names(): readonly string[] {
    return [...this.#slots.keys()];
  }

  has(name: string): boolean {
    return this.#slots.has(name);
  }

  /** Adds an entry. Throws a `TypeError` if an entry with the same key is registered, unless `replace` is true. */
  add(entry: E, replace: boolean): void {
    const { key } = entry;
    if (this.#slots.has(key) && !replace) {
      throw new TypeError(`${this.#noun} "${key}" is registered already; pass replace: true to replace it`);
    }
    this.#slots.set(key, { key, entry, enabled: true, encoded: new Map() });
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

  /** Returns the entry with this name, unless the entry is disabled or hidden from the viewer. */
  get(name: string, viewer: Viewer): E | undefined {
    const slot = this.#slots.get(name);
    return slot?.enabled && this.#isVisible(slot.entry, viewer) ? slot.entry : undefined;
  }

  /** Returns the entry with this name, even if the entry is disabled or hidden. Does not call `visible`. */
  getUnchecked(name: unknown): E | undefined {
    return this.#slots.get(name as string)?.entry;
  }

  /** Yields the enabled entries that the viewer may see. */
  *entries(viewer: Viewer): Generator<E> {
    for (const { entry, enabled } of this.#slots.values()) if (enabled && this.#isVisible(entry, viewer)) yield entry;
  }

  /** Returns one page of the list as an object, for middleware and extensions that change results. */
  list(params: Params, viewer: Viewer, pageSize: number): object {
    const { entries, nextCursor } = this.#page(params, viewer, pageSize);
    const items = entries.map(({ entry }) => entry.definition);
    return nextCursor === undefined ? { [this.#kind]: items } : { [this.#kind]: items, nextCursor };
  }

  /** Returns one page of the list as JSON. Caches a first page that is the same for all viewers, until the registry changes. */
  encodedList(params: Params, viewer: Viewer, revision: Revision, server: ServerInfo, pageSize: number): EncodedJson {
    const { version } = revision.features;
    const keep = params['cursor'] === undefined && !this.#filtered;
    const kept = keep ? this.#lists.get(version) : undefined;
    if (kept) return kept;
    const { entries, nextCursor } = this.#page(params, viewer, pageSize);
    const items = entries.map((slot) => this.#encode(slot, revision));
    const list = revision.encodePage({ kind: this.#kind, items, nextCursor, cache: this.cache(server.cache) }, server);
    if (keep) this.#lists.set(version, list);
    return list;
  }

  /** Returns the cache hints of the list, with `cacheScope: 'private'` if lists can differ between viewers. */
  cache(hints: CacheHints): CacheHints {
    return this.#filtered ? { ...hints, cacheScope: 'private' } : hints;
  }

  #page(params: Params, viewer: Viewer, pageSize: number): Page<Slot<E>> {
    const slots = [...this.#slots.values()];
    const visible = slots.filter(({ enabled, entry }) => enabled && this.#isVisible(entry, viewer));
    return pageOf(this.#kind, visible, params['cursor'], pageSize);
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

  // An entry whose function `visible` throws is hidden, so that a bug in `visible` never reveals the entry.
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
    this.requiresScopes = slots.some(({ entry }) => entry.scopes !== undefined);
    this.hasRestrictedEntries = this.#filtered || this.requiresScopes || slots.some(({ enabled }) => !enabled);
    this.#onChange();
  }
}

/**
 * Disclosure to clients of handler errors other than `ToolError` and `RpcError`. `hidden`: a random reference, which `onError`
 * gets together with the error. `messages`: the error's message. Stacks and causes are never sent.
 */
export type ErrorDisclosure = 'hidden' | 'messages';
