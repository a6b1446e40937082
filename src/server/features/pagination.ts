/** Pagination. A cursor names the last entry of the previous page, so every node understands it. */

import { fromBase64, toBase64 } from '../../jsonrpc/base64.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { fingerprint } from '../../jsonrpc/json/canonical-json.ts';
import type { ListKind } from '../../protocol/revision.ts';

/** Maximum characters of an entry's key in a cursor. As JSON in base64, they stay below 4,096, the limit of a cursor. */
const MAX_KEY = 500;

/** One page of a list. `nextCursor` is undefined on the last page. */
export interface Page<E> {
  readonly entries: readonly E[];
  readonly nextCursor: string | undefined;
}

/** Returns the page of a list after a cursor. Throws -32602 for a cursor that names no entry of the list. */
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
  // Some clients send an empty string for a cursor that is not set.
  if (cursor === undefined || cursor === '') return 0;
  const name = typeof cursor === 'string' ? nameIn(kind, cursor) : undefined;
  const index = name === undefined ? -1 : entries.findIndex((entry) => nameOf(entry.key) === name);
  // The error is the same for hidden and unknown entries, so that it does not reveal hidden ones.
  if (index < 0) throw RpcError.invalidParams('"cursor" is not valid for this list; start again without one');
  return index + 1;
}

// Returns the text that names an entry in a cursor: its key, or a hash of a key that would make the cursor too long.
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
