/** Encodes results of stateless revisions: adds `resultType`, `serverInfo` and cache hints. */

import { EncodedJson } from '../../jsonrpc/message.ts';
import type { MethodRow } from '../methods.ts';
import type { Implementation } from '../model/implementation.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import { without } from '../params.ts';
import type { CacheHints, EncodedPage, EncodingHints, ServerInfo } from '../revision.ts';

const STALE: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** Encodes a result. `cache` of the hints is used only for methods whose results are cacheable. */
export function encodeResult(
  row: MethodRow | undefined,
  result: object,
  { cache, resultType = 'complete' }: EncodingHints,
  { info }: ServerInfo,
): object {
  const { _meta } = result as { _meta?: object };
  const hints = resultType === 'complete' && row?.cacheable ? (cache ?? STALE) : undefined;
  const isUsual =
    resultType === 'complete' && !hints && _meta === undefined && !('resultType' in result) && !('toJSON' in result);
  if (isUsual && !isLong(result)) return appendTail(JSON.stringify(result), info);
  // Only `server/discover` sends all of `serverInfo`; other results leave out icons and texts.
  const added = row?.method === 'server/discover' ? { [MetaKey.serverInfo]: info } : signatureOf(info).meta;
  const signed = { ...result, resultType, _meta: _meta ? { ..._meta, ...added } : added };
  return hints ? { ...signed, ...hints } : signed;
}

/** Encodes a page of encoded entries. */
export function encodePage({ kind, items, nextCursor, cache }: EncodedPage, { info }: ServerInfo): EncodedJson {
  const cursor = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  const tail = { resultType: 'complete', ...cache, _meta: signatureOf(info).meta };
  return new EncodedJson(`{"${kind}":[${items.join(',')}]${cursor},${JSON.stringify(tail).slice(1)}`);
}

// V8 keeps the JSON of long strings in pieces, and `slice` copies all of it first.
const LONG = 64 * 1024;

function isLong({ content }: { readonly content?: unknown }): boolean {
  return Array.isArray(content) && content.some((one) => isLongText(one?.text) || isLongText(one?.data));
}

function isLongText(value: unknown): boolean {
  return typeof value === 'string' && value.length > LONG;
}

function appendTail(text: string, info: Implementation): EncodedJson {
  return new EncodedJson(`${text.slice(0, -1)}${text.length > 2 ? ',' : ''}${signatureOf(info).tail}`);
}

interface Signature {
  /** `_meta` with `serverInfo`. */
  readonly meta: Meta;
  /** End of the JSON text of a result without hints and `_meta`. Appending text takes a third of the time of encoding it. */
  readonly tail: string;
}

const signatures = new WeakMap<Implementation, Signature>();

function signatureOf(info: Implementation): Signature {
  const known = signatures.get(info);
  if (known) return known;
  const meta = { [MetaKey.serverInfo]: without(info, 'icons', 'description', 'websiteUrl') };
  const signature = { meta, tail: JSON.stringify({ resultType: 'complete', _meta: meta }).slice(1) };
  signatures.set(info, signature);
  return signature;
}
