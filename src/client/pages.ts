/** Reads paginated lists, up to limits on pages, items and bytes. */

import { ConnectionError, ErrorCode, McpError, RpcError } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { ListKind } from '../protocol/revision.ts';
import { CLIENT_LIMITS, sizeOf } from './limits.ts';

/** Why a list could not be read completely. */
export type IncompleteListErrorCode =
  /** The server repeated a cursor, so the list would never end. */
  | 'repeated-cursor'
  /** The list has more pages than `maxPages`. */
  | 'too-many-pages'
  /** The list has more items than `maxItems`. */
  | 'too-many-items'
  /** The items are larger than `maxBytes`. */
  | 'too-many-bytes';

/** Thrown if a list could not be read completely. `partial` has the items that were read. */
export class IncompleteListError<Item = unknown> extends McpError {
  override readonly name = 'IncompleteListError';
  readonly code: IncompleteListErrorCode;
  /** Items before the error. Iterators such as `Connection.tools` keep only the first 10 000 items. */
  readonly partial: readonly Item[];

  constructor(code: IncompleteListErrorCode, message: string, partial: readonly Item[]) {
    super(message);
    this.code = code;
    this.partial = partial;
  }
}

export interface PagesOptions {
  /** Maximum number of pages. Default: 1000. */
  readonly maxPages?: number;
  /** Maximum number of items. Default: 100 000. */
  readonly maxItems?: number;
  /** Maximum estimated size of all items, in bytes. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Called when the server rejects a cursor that it returned before. Cached pages of the list must then be dropped. */
  readonly restart?: () => void;
}

/** Returns the limits in the options, with defaults for those that are not set. */
export function pagesOptions(options: Omit<PagesOptions, 'restart'>): PagesOptions {
  const {
    maxPages = CLIENT_LIMITS.pages,
    maxItems = CLIENT_LIMITS.items,
    maxBytes = CLIENT_LIMITS.listBytes,
  } = options;
  return { maxPages, maxItems, maxBytes };
}

export type Page<Item> = {
  readonly items: readonly Item[];
  /** Opaque: the empty string is a valid cursor. Undefined on the last page. */
  readonly nextCursor: string | undefined;
};

/** Maximum number of items that an iterator keeps for `IncompleteListError.partial`. */
const MAX_KEPT = 10_000;

/** Fetches one page: without a cursor, the first. */
export type FetchPage<Item> = (cursor: string | undefined) => Promise<Page<Item>>;

/** Iterates over the items of all pages. Fetches each page when needed. `what` is the name of the list in error messages. */
export async function* itemsOf<Item>(
  what: string,
  fetchPage: FetchPage<Item>,
  options: PagesOptions = {},
): AsyncGenerator<Item, void, undefined> {
  for await (const items of pagesOf(what, fetchPage, options, MAX_KEPT)) yield* items;
}

/** Returns the items of all pages. Starts again, once, if the server rejects a cursor that it returned before. */
export async function allItems<Item>(
  what: string,
  fetchPage: FetchPage<Item>,
  options: PagesOptions = {},
): Promise<readonly Item[]> {
  let restarted = false;
  const restart = (): void => {
    restarted = true;
    options.restart?.();
  };
  try {
    return await collect(pagesOf(what, fetchPage, { ...options, restart }));
  } catch (error) {
    if (!restarted) throw error;
    return collect(pagesOf(what, fetchPage, options));
  }
}

/** Reads a page from a result. Throws `ConnectionError('malformed')` if the result is invalid. */
export function pageOf<Item>(method: string, member: ListKind, result: Readonly<Record<string, unknown>>): Page<Item> {
  const { [member]: items, nextCursor } = result;
  if (!Array.isArray(items)) throw malformed(method, `/${member} must be an array`);
  const wrong = items.findIndex((item) => !isObject(item));
  if (wrong >= 0) throw malformed(method, `/${member}/${wrong} must be an object`);
  // Some servers send null on the last page.
  if (nextCursor === undefined || nextCursor === null) return { items, nextCursor: undefined };
  if (typeof nextCursor !== 'string') throw malformed(method, '/nextCursor must be a string');
  return { items, nextCursor };
}

async function* pagesOf<Item>(
  what: string,
  fetchPage: FetchPage<Item>,
  { restart, ...options }: PagesOptions,
  maxKept = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Item[], void, undefined> {
  const limits = pagesOptions(options);
  for (const [name, limit] of Object.entries(limits)) {
    if (!(limit >= 1)) throw new TypeError(`"${name}" must be a number of at least 1`);
  }
  const { maxPages = 0, maxItems = 0, maxBytes = 0 } = limits;
  const seen = new Set<string>();
  const kept: (readonly Item[])[] = [];
  let pages = 0;
  let read = 0;
  let bytes = 0;
  let cursor: string | undefined;
  const incomplete = (code: IncompleteListErrorCode, why: string, option?: string): IncompleteListError<Item> => {
    const hint = option === undefined ? '' : ` (option "${option}")`;
    const text = `${what} could not be read to its end: ${why}${hint}; items read: ${read}`;
    return new IncompleteListError(code, text, (kept.flat() as Item[]).slice(0, maxKept));
  };
  while (true) {
    const page = await fetchNext(fetchPage, cursor, restart);
    const isTooLong = page.items.length > maxItems - read;
    let count = Math.min(page.items.length, maxItems - read);
    for (let at = 0; at < count; at++) {
      bytes += sizeOf(page.items[at]);
      if (bytes > maxBytes) count = at;
    }
    const items = count < page.items.length ? page.items.slice(0, count) : page.items;
    if (read < maxKept) kept.push(items);
    pages++;
    read += items.length;
    yield items;
    if (bytes > maxBytes) throw incomplete('too-many-bytes', `there are more than ${maxBytes} bytes`, 'maxBytes');
    if (isTooLong) throw incomplete('too-many-items', `there are more than ${maxItems} items`, 'maxItems');
    if (page.nextCursor === undefined) return;
    if (seen.has(page.nextCursor)) throw incomplete('repeated-cursor', 'the server repeats a cursor');
    if (pages >= maxPages) throw incomplete('too-many-pages', `there are more than ${maxPages} pages`, 'maxPages');
    seen.add(page.nextCursor);
    bytes += sizeOf(page.nextCursor);
    cursor = page.nextCursor;
  }
}

async function fetchNext<Item>(
  fetchPage: FetchPage<Item>,
  cursor: string | undefined,
  restart: (() => void) | undefined,
): Promise<Page<Item>> {
  try {
    return await fetchPage(cursor);
  } catch (error) {
    // Without a cursor, -32602 has another cause.
    const isForgotten = error instanceof RpcError && error.code === ErrorCode.InvalidParams && cursor !== undefined;
    if (isForgotten) restart?.();
    throw error;
  }
}

async function collect<Item>(pages: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
  const all: (readonly Item[])[] = [];
  for await (const items of pages) all.push(items);
  return all.flat() as Item[];
}

function malformed(method: string, fault: string): ConnectionError {
  return new ConnectionError('malformed', `The answer to ${method} is malformed: ${fault}`);
}
