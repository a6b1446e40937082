/** Pagination of lists by `limits.pageSize`. A cursor has the key of the last entry of the previous page. */

import { fromBase64, toBase64 } from '../../jsonrpc/base64.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { fingerprint } from '../../jsonrpc/json/canonical-json.ts';
import type { ListKind } from '../../protocol/revision.ts';

/** Maximum length of a key in a cursor, in characters. A hash replaces a longer key, to keep within `STRING_LIMITS.cursor`. */
const MAX_KEY = 500;

export interface Page<E> {
  readonly entries: readonly E[];
  readonly nextCursor: string | undefined;
}

/** Returns the page of `entries` after `cursor`, by default the first page. Throws error -32602 for an invalid cursor. */
export function pageOf<E extends { readonly key: string }>(
  kind: ListKind,
  entries: readonly E[],
  cursor: unknown,
  size: number,
): Page<E> {
  const start = startOf(kind, entries, cursor);
  const page = start === 0 && entries.length <= size ? entries : entries.slice(start, start + size);
  const last = page.at(-1);
  return { entries: page, nextCursor: last && start + size < entries.length ? cursorAfter(kind, last.key) : undefined };
}

function startOf(kind: ListKind, entries: readonly { readonly key: string }[], cursor: unknown): number {
  // Some clients send an empty string instead of omitting the cursor.
  if (cursor === undefined || cursor === '') return 0;
  const name = typeof cursor === 'string' ? nameIn(kind, cursor) : undefined;
  const index = name === undefined ? -1 : entries.findIndex((entry) => nameOf(entry.key) === name);
  // Cursors of hidden and of unknown entries get the same error, so that guessed cursors do not reveal hidden entries.
  if (index < 0) throw RpcError.invalidParams('"cursor" is not valid for this list; start again without one');
  return index + 1;
}

// Returns the text that names an entry in a cursor: the key, or a hash of a key that is longer than `MAX_KEY`.
function nameOf(key: string): string {
  return key.length <= MAX_KEY ? key : `#${fingerprint(key)}`;
}

function cursorAfter(kind: ListKind, key: string): string {
  return toBase64(new TextEncoder().encode(JSON.stringify([kind, nameOf(key)])));
}

function nameIn(kind: ListKind, cursor: string): string | undefined {
  try {
    const bytes = fromBase64(cursor);
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(parsed) && parsed[0] === kind && typeof parsed[1] === 'string' ? parsed[1] : undefined;
  } catch {
    return undefined;
  }
}
