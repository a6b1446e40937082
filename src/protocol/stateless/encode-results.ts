/** Encodes results for stateless revisions: adds `resultType`, `serverInfo` and cache hints. */

import { EncodedJson } from '../../jsonrpc/message.ts';
import type { MethodRow } from '../methods.ts';
import type { Implementation } from '../model/implementation.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import { structuredResultText } from '../model/tools.ts';
import { without } from '../params.ts';
import type { CacheHints, EncodedPage, EncodingHints, ServerInfo } from '../revision.ts';

// Default cache hints of cacheable results: clients must not cache the result.
const STALE: CacheHints = { ttlMs: 0, cacheScope: 'private' };

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
  // Only `server/discover` sends the full `serverInfo`. Other results omit icons, description and website.
  const added = row?.method === 'server/discover' ? { [MetaKey.serverInfo]: info } : signatureOf(info).meta;
  const signed = { ...result, resultType, _meta: _meta ? { ..._meta, ...added } : added };
  return hints ? { ...signed, ...hints } : signed;
}

/** Encodes a tool result from the JSON of its structured content; undefined if that JSON is longer than 64 Ki characters. */
export function encodeStructuredResult(json: string, { info }: ServerInfo): EncodedJson | undefined {
  return isLongText(json) ? undefined : appendTail(structuredResultText(json), info);
}

export function encodePage({ kind, items, nextCursor, cache }: EncodedPage, { info }: ServerInfo): EncodedJson {
  const cursor = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  const tail = { resultType: 'complete', ...cache, _meta: signatureOf(info).meta };
  return new EncodedJson(`{"${kind}":[${items.join(',')}]${cursor},${JSON.stringify(tail).slice(1)}`);
}

// Maximum text length for `appendTail`, in UTF-16 code units. V8 keeps longer JSON as pieces, which `slice` would copy.
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
  readonly meta: Meta;
  /** JSON text of `resultType` and `_meta`. Appending it to a result's JSON is three times as fast as encoding both members. */
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
