/** Pages of a list. A cursor names the last entry of the page before it, so it means the same on every node. */

import { fromBase64, toBase64 } from '../../jsonrpc/base64.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { fingerprint } from '../../jsonrpc/json/canonical-json.ts';
import type { ListKind } from '../../protocol/revision.ts';

/** Escaped as JSON and written in base64, such a key has less than 4,096 characters. */
const MAX_KEY = 500;

/** Part of a list, and how to get the next. */
export interface Page<E> {
  readonly entries: readonly E[];
  readonly nextCursor: string | undefined;
}

/** The page of a list after a cursor. A cursor that names no entry of the list is refused. */
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
  // Clients in other languages send an empty string for a cursor that is not set.
  if (cursor === undefined || cursor === '') return 0;
  const name = typeof cursor === 'string' ? nameIn(kind, cursor) : undefined;
  const index = name === undefined ? -1 : entries.findIndex((entry) => nameOf(entry.key) === name);
  // Unknown and hidden entries get the same answer.
  if (index < 0) throw RpcError.invalidParams('"cursor" is not valid for this list; start again without one');
  return index + 1;
}

// A long key stands in a cursor by its fingerprint, or the cursor would be longer than a request may send.
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
