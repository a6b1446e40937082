/** Client cache of results that have a lifetime (`ttlMs`). */

import { canonicalJson } from '../jsonrpc/json/canonical-json.ts';
import type { Params } from '../jsonrpc/message.ts';
import { isCacheable, METHODS } from '../protocol/methods.ts';
import { type Change, isWithin } from '../protocol/model/changes.ts';
import { CLIENT_LIMITS, sizeOf } from './limits.ts';

export interface ResponseCacheOptions {
  /** Maximum number of results. The least recently used results are evicted first. Default: 500. */
  readonly maxEntries?: number;
  /** Maximum estimated size of all results in bytes. The least recently used results are evicted first. Default: 64 MiB. */
  readonly maxSize?: number;
  /** Returns how many bytes of `maxSize` are currently used by other data, such as tool definitions. */
  readonly reserved?: () => number;
  /** Returns the current time in milliseconds; replaced in tests. */
  readonly now?: () => number;
}

interface Kept {
  readonly result: Record<string, unknown>;
  readonly method: string;
  /** URI of the resource, for results of `resources/read`. */
  readonly uri: string | undefined;
  readonly size: number;
  readonly keptAt: number;
  readonly lifetime: number;
}

/** Methods whose cached results become stale, by type of change. */
const STALE_AFTER: Readonly<Record<Change['type'], readonly string[]>> = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list'],
  resource: ['resources/read'],
};

// Maximum lifetime. A longer `ttlMs` is probably in the wrong unit, and would keep a stale result if no change is notified.
const LONGEST_LIFETIME = 24 * 60 * 60_000;

/** LRU cache of results, by method and params. Expired results are removed when they are read, not by a timer. */
export class ResponseCache {
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  /** Number of invalidations per method, to detect results that were invalidated while their request was pending. */
  readonly #changes = new Map<string, number>();
  readonly #maxEntries: number;
  readonly #maxSize: number;
  readonly #reserved: () => number;
  readonly #now: () => number;
  #size = 0;

  constructor(options: ResponseCacheOptions = {}) {
    this.#maxEntries = options.maxEntries ?? CLIENT_LIMITS.cachedResults;
    this.#maxSize = options.maxSize ?? CLIENT_LIMITS.rememberedBytes;
    this.#reserved = options.reserved ?? (() => 0);
    this.#now = options.now ?? (() => Date.now());
  }

  /** Returns the cached result unless it has expired. The result is deeply frozen, because all callers share the object. */
  get(method: string, params: Params | undefined, principal: string): Record<string, unknown> | undefined {
    if (!isKeepable(method, params)) return undefined;
    const { everyone, oneself } = keysOf(method, params, principal);
    return (this.#fresh(oneself) ?? this.#fresh(everyone))?.result;
  }

  /** Must be called when a request is sent. Returns a function that caches the result, unless a change arrived in between. */
  expect(method: string, params: Params | undefined, principal: string): (result: Record<string, unknown>) => void {
    if (!isKeepable(method, params)) return keepNothing;
    const changes = this.#changesOf(method);
    return (result) => {
      if (this.#changesOf(method) !== changes) return;
      const { everyone, oneself } = keysOf(method, params, principal);
      // The new result replaces the cached one even if its `cacheScope` or `ttlMs` differs.
      this.#drop(everyone);
      this.#drop(oneself);
      const lifetime = lifetimeOf(result);
      if (lifetime === 0) return;
      const size = sizeOf(result);
      if (size > this.#maxSize - this.#reserved()) return;
      freeze(result);
      const uri = typeof params?.['uri'] === 'string' ? params['uri'] : undefined;
      this.#kept.set(result['cacheScope'] === 'public' ? everyone : oneself, {
        result,
        method,
        uri,
        size,
        keptAt: this.#now(),
        lifetime,
      });
      this.#size += size;
      this.#makeRoom();
    };
  }

  invalidate(change: Change): void {
    for (const method of STALE_AFTER[change.type]) {
      if (change.type === 'resource') this.#forget(method, (kept) => isConcerned(kept.uri, change.uri));
      else this.forget(method);
    }
  }

  /** Removes all results of a method, for instance all pages of a list. */
  forget(method: string): void {
    this.#forget(method, () => true);
  }

  clear(): void {
    for (const method of METHODS.keys()) if (isCacheable(method)) this.forget(method);
  }

  #forget(method: string, isStale: (kept: Kept) => boolean): void {
    this.#changes.set(method, this.#changesOf(method) + 1);
    for (const [key, kept] of this.#kept) if (kept.method === method && isStale(kept)) this.#drop(key);
  }

  #changesOf(method: string): number {
    return this.#changes.get(method) ?? 0;
  }

  #fresh(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    const age = this.#now() - kept.keptAt;
    this.#kept.delete(key);
    // A negative age means that the system clock was set back, so the real age is unknown.
    if (age >= 0 && age < kept.lifetime) {
      this.#kept.set(key, kept);
      return kept;
    }
    this.#size -= kept.size;
    return undefined;
  }

  #drop(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }

  #makeRoom(): void {
    const maxSize = this.#maxSize - this.#reserved();
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxEntries && this.#size <= maxSize) return;
      this.#drop(key);
    }
  }
}

function keepNothing(): void {}

// A result after a multi round-trip request depends on the input responses, so it is not cached.
function isKeepable(method: string, params: Params | undefined): boolean {
  return isCacheable(method) && params?.['inputResponses'] === undefined && params?.['requestState'] === undefined;
}

/** Returns the cache keys of results with `cacheScope: 'public'` (`everyone`) and of results for this principal (`oneself`). */
function keysOf(method: string, params: Params | undefined, principal: string): { everyone: string; oneself: string } {
  const { _meta, ...rest } = params ?? {};
  return { everyone: canonicalJson([method, rest]), oneself: canonicalJson([method, rest, principal]) };
}

/** Returns the lifetime of a result in milliseconds, or 0 if the result must not be cached. */
function lifetimeOf({ resultType = 'complete', ttlMs }: Record<string, unknown>): number {
  if (resultType !== 'complete' || typeof ttlMs !== 'number' || !(ttlMs > 0)) return 0;
  return Math.min(ttlMs, LONGEST_LIFETIME);
}

/** Returns true if both URIs are equal, or one is a folder that contains the other. An unknown `uri` counts as changed. */
function isConcerned(uri: string | undefined, changed: string): boolean {
  return uri === undefined || isWithin(changed, uri) || isWithin(uri, changed);
}

/**
 * Freezes a result deeply, so that no caller can change the result of other callers. For 500 tools (470 KB), freezing
 * takes 2 ms once; parsing the JSON takes 4 ms, and a copy for each caller would take 7 ms.
 */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const one of Array.isArray(value) ? value : Object.values(value)) freeze(one);
}
