/** Results that say of themselves what they are, whose they are, and how long they keep. */

import { EncodedJson } from '../../jsonrpc/message.ts';
import type { MethodRow } from '../methods.ts';
import type { Implementation } from '../model/implementation.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import { without } from '../params.ts';
import type { CacheHints, EncodedPage, EncodingHints, ServerInfo } from '../revision.ts';

const STALE: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** A result with everything this revision wants on it. */
export function encodeResult(
  row: MethodRow | undefined,
  result: object,
  about: EncodingHints,
  server: ServerInfo,
): object {
  const { cache, resultType = 'complete' } = about;
  const { _meta } = result as { _meta?: object };
  const hints = resultType === 'complete' && row?.cacheable ? (cache ?? STALE) : undefined;
  const isUsual =
    resultType === 'complete' && !hints && _meta === undefined && !('resultType' in result) && !('toJSON' in result);
  if (isUsual && !isLong(result)) return signedText(JSON.stringify(result), server.info);
  // Whoever asks what the server is gets all of it; other results only say whose they are, without pictures.
  const own = row?.method === 'server/discover' ? { [MetaKey.serverInfo]: server.info } : signatureOf(server.info);
  const signed = { ...result, resultType, _meta: _meta ? { ..._meta, ...own } : own };
  return hints ? { ...signed, ...hints } : signed;
}

/** A page of entries that are encoded already. */
export function encodePage({ kind, items, nextCursor, cache }: EncodedPage, server: ServerInfo): EncodedJson {
  const cursor = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  const tail = { resultType: 'complete', ...cache, _meta: signatureOf(server.info) };
  return new EncodedJson(`{"${kind}":[${items.join(',')}]${cursor},${JSON.stringify(tail).slice(1)}`);
}

// The engine makes long text of many pieces: to be cut, it is copied first.
const LONG = 64 * 1024;

function isLong({ content }: { readonly content?: unknown }): boolean {
  return Array.isArray(content) && content.some((one) => isLongText(one?.text) || isLongText(one?.data));
}

function isLongText(value: unknown): boolean {
  return typeof value === 'string' && value.length > LONG;
}

function signedText(text: string, info: Implementation): EncodedJson {
  return new EncodedJson(`${text.slice(0, -1)}${text.length > 2 ? ',' : ''}${tailOf(info)}`);
}

// What the usual result ends with is the same for all of them: as text it costs a third.
const tails = new WeakMap<Implementation, string>();

function tailOf(info: Implementation): string {
  const known = tails.get(info);
  if (known) return known;
  const tail = JSON.stringify({ resultType: 'complete', _meta: signatureOf(info) }).slice(1);
  tails.set(info, tail);
  return tail;
}

// The same for every result of a server.
const signatures = new WeakMap<Implementation, Meta>();

function signatureOf(info: Implementation): Meta {
  const known = signatures.get(info);
  if (known) return known;
  const signature = { [MetaKey.serverInfo]: without(info, 'icons', 'description', 'websiteUrl') };
  signatures.set(info, signature);
  return signature;
}
