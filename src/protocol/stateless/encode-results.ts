/** Encodes results for stateless revisions: adds `resultType`, `serverInfo` and cache hints. */

import { EncodedJson } from '../../jsonrpc/message.ts';
import type { MethodRow } from '../methods.ts';
import type { Implementation } from '../model/implementation.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import { without } from '../params.ts';
import type { CacheHints, EncodedPage, EncodingHints, ServerInfo } from '../revision.ts';

// Cache hints of cacheable results for which the server sets none: they must not be cached.
const STALE: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** Encodes the result of a handler. The hint `cache` is used only for methods whose results are cacheable. */
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
  // Only the result of `server/discover` has all of `serverInfo`. Other results leave out icons, description and website.
  const added = row?.method === 'server/discover' ? { [MetaKey.serverInfo]: info } : signatureOf(info).meta;
  const signed = { ...result, resultType, _meta: _meta ? { ..._meta, ...added } : added };
  return hints ? { ...signed, ...hints } : signed;
}

/** Encodes a page of a list as the result of its request. The entries are JSON text already. */
export function encodePage({ kind, items, nextCursor, cache }: EncodedPage, { info }: ServerInfo): EncodedJson {
  const cursor = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  const tail = { resultType: 'complete', ...cache, _meta: signatureOf(info).meta };
  return new EncodedJson(`{"${kind}":[${items.join(',')}]${cursor},${JSON.stringify(tail).slice(1)}`);
}

// Length of a text, in characters, above which `appendTail` is not used: V8 keeps the JSON of long strings in pieces, and
// `slice` would first copy all of it.
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
  /** Members that are added to the `_meta` of every result: `serverInfo`. */
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
