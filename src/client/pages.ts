/** Lists that page by themselves, and never end without saying so. */

import { ConnectionError, ErrorCode, McpError, RpcError } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { ListKind } from '../protocol/revision.ts';
import { CLIENT_LIMITS, sizeOf } from './limits.ts';

/** Why a list could not be read to its end. */
export type IncompleteListErrorCode =
  /** The server gave a cursor it had given before: following it would go round in a circle. */
  | 'repeated-cursor'
  /** There are more pages than one is ready to read. */
  | 'too-many-pages'
  /** There are more items than one is ready to read. */
  | 'too-many-items'
  /** The items have more bytes than one is ready to keep. */
  | 'too-many-bytes';

/** A list that could not be read to its end. It carries what was read. */
export class IncompleteListError<Item = unknown> extends McpError {
  override readonly name = 'IncompleteListError';
  readonly code: IncompleteListErrorCode;
  /** The items up to there. Of those that were handed out one by one, which are not kept for long, the first 10,000. */
  readonly partial: readonly Item[];

  constructor(code: IncompleteListErrorCode, message: string, partial: readonly Item[]) {
    super(message);
    this.code = code;
    this.partial = partial;
  }
}

/** Options of a list. */
export interface PagesOptions {
  /** How many pages are read at most. Default: 1,000. */
  readonly maxPages?: number;
  /** How many items are read at most. Default: 100,000. */
  readonly maxItems?: number;
  /** How many bytes all items may take in memory, about. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Called when the server no longer knows a cursor it gave: whoever keeps pages of this list drops them here. */
  readonly restart?: () => void;
}

/** The options of a list that a connection's options name. */
export function pagesOptions(options: Omit<PagesOptions, 'restart'>): PagesOptions {
  const {
    maxPages = CLIENT_LIMITS.pages,
    maxItems = CLIENT_LIMITS.items,
    maxBytes = CLIENT_LIMITS.listBytes,
  } = options;
  return { maxPages, maxItems, maxBytes };
}

/** Part of a list, and how to get the next. */
export type Page<Item> = {
  readonly items: readonly Item[];
  /** Opaque, and the empty string is one like any other; undefined is the end of the list. */
  readonly nextCursor: string | undefined;
};

/** How many items an iterator keeps for the error it may have to throw. */
const MAX_KEPT = 10_000;

/** Gets one page: the first without a cursor. */
export type FetchPage<Item> = (cursor: string | undefined) => Promise<Page<Item>>;

/** The items of all pages, one by one; a page is fetched when the one before it is used up. `what` names the list in errors. */
export async function* itemsOf<Item>(
  what: string,
  fetchPage: FetchPage<Item>,
  options: PagesOptions = {},
): AsyncGenerator<Item, void, undefined> {
  for await (const items of pagesOf(what, fetchPage, options, MAX_KEPT)) yield* items;
}

/** The items of all pages at once. It starts again, once, if the server forgets its cursors on the way. */
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

/** Reads one page out of a result; throws if it is not one. */
export function pageOf<Item>(method: string, member: ListKind, result: Readonly<Record<string, unknown>>): Page<Item> {
  const { [member]: items, nextCursor } = result;
  if (!Array.isArray(items)) throw malformed(method, `/${member} must be an array`);
  const wrong = items.findIndex((item) => !isObject(item));
  if (wrong >= 0) throw malformed(method, `/${member}/${wrong} must be an object`);
  // Some servers write null where there is no next page.
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
    // On the first page the same code means something else: there was no cursor.
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
