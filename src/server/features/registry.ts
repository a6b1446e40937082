/** `Registry`: registered tools, prompts, resources or templates by name. Their JSON for lists is made once per revision. */

import type { EncodedJson, Params } from '../../jsonrpc/message.ts';
import type { CacheHints, ListKind, Revision, ServerInfo, Viewer } from '../../protocol/revision.ts';
import { type Page, pageOf } from './pagination.ts';

/** Returns true if the viewer may see an entry. Lists omit hidden entries, and requests for them get the error of unknown ones. */
export type Visible = (viewer: Viewer) => boolean;

/** A registered tool, prompt, resource or resource template. */
export interface Entry {
  /** Name, URI or URI template. */
  readonly key: string;
  /** The entry as lists show it. */
  readonly definition: object;
  readonly visible?: Visible | undefined;
  /** Scopes that a caller needs to use the entry, all of them. */
  readonly scopes?: readonly string[] | undefined;
  /** Disclosure of handler errors other than `ToolError` and `RpcError`. Default: the server's `errors`. */
  readonly errors?: ErrorDisclosure | undefined;
}

/** The registered tools, prompts, resources or resource templates of a server, to inspect, disable or remove at run time. */
export interface Features {
  /** Names of all entries, including hidden and disabled ones. */
  readonly names: readonly string[];
  /** True if an entry of this name is registered, even if it is hidden or disabled. */
  has(name: string): boolean;
  /** Removes the entry from lists and refuses its use until `enable`. Returns false if there is no such entry. */
  disable(name: string): boolean;
  /** Undoes `disable`; the entry keeps its position in lists. Returns false if there is no such entry. */
  enable(name: string): boolean;
  /** Removes the entry. Returns false if there is no such entry. */
  remove(name: string): boolean;
}

/** A registered entry with its state. */
interface Slot<E> {
  readonly key: string;
  readonly entry: E;
  enabled: boolean;
  /** The entry's JSON, by revision. */
  readonly encoded: Map<string, string>;
}

/** The entries of one kind, in the order of their registration. */
export class Registry<E extends Entry> implements Features {
  /** True if at least one entry requires scopes. */
  requiresScopes = false;
  /** True if at least one entry is disabled, has `visible` or requires scopes. */
  hasRestrictedEntries = false;
  readonly #kind: ListKind;
  readonly #noun: string;
  readonly #onChange: () => void;
  readonly #onError: (error: unknown) => void;
  readonly #slots = new Map<string, Slot<E>>();
  /** JSON of the first page, by revision. Empty if pages differ between viewers. */
  readonly #lists = new Map<string, EncodedJson>();
  /** True if at least one entry has `visible`, so that lists differ between viewers. */
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

  /** Adds an entry. Throws a `TypeError` if the name is registered already, unless `replace` is true. */
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

  /** Returns the entry of this name, if it is enabled and the viewer may see it. */
  get(name: string, viewer: Viewer): E | undefined {
    const slot = this.#slots.get(name);
    return slot?.enabled && this.#isVisible(slot.entry, viewer) ? slot.entry : undefined;
  }

  /** Returns the entry of this name, even if it is disabled or hidden. */
  getUnchecked(name: unknown): E | undefined {
    return this.#slots.get(name as string)?.entry;
  }

  /** Yields the enabled entries that the viewer may see. */
  *entries(viewer: Viewer): Generator<E> {
    for (const { entry, enabled } of this.#slots.values()) if (enabled && this.#isVisible(entry, viewer)) yield entry;
  }

  /** Returns one page of the list as objects, which middleware can read and change. */
  list(params: Params, viewer: Viewer, pageSize: number): object {
    const { entries, nextCursor } = this.#page(params, viewer, pageSize);
    const items = entries.map(({ entry }) => entry.definition);
    return nextCursor === undefined ? { [this.#kind]: items } : { [this.#kind]: items, nextCursor };
  }

  /** Returns one page of the list as JSON. A first page that is the same for all viewers is cached until the registry changes. */
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

  /** Returns the cache hints of the list, with the scope `private` if viewers may see different entries. */
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

  // An entry whose `visible` throws is hidden, so that an error never reveals it.
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
 * Disclosure of errors that are neither a `ToolError` nor an `RpcError`: with `hidden`, clients get a random reference, which
 * `onError` gets with the error; with `messages`, they get the error's message. Stacks and causes are never sent.
 */
export type ErrorDisclosure = 'hidden' | 'messages';
