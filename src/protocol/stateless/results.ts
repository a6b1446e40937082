/** Results that say of themselves what they are, whose they are, and how long they keep. */

import { EncodedJson } from '../../jsonrpc/message.ts';
import { isCacheable } from '../methods.ts';
import type { Implementation } from '../model/implementation.ts';
import { type Meta, MetaKey } from '../model/meta.ts';
import type { CacheHints, EncodedPage, Host, ResultFacts } from '../revision.ts';
import { without } from '../without.ts';

const STALE: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** A result with everything this revision wants on it. */
export function encodeResult(method: string, result: object, about: ResultFacts, host: Host): object {
  const { cache, resultType = 'complete' } = about;
  const { _meta } = result as { _meta?: object };
  const hints = resultType === 'complete' && isCacheable(method) ? (cache ?? STALE) : undefined;
  // Whoever asks what the server is gets all of it; other results only say whose they are, without pictures.
  const own = method === 'server/discover' ? { [MetaKey.serverInfo]: host.info } : signatureOf(host.info);
  const signed = { ...result, resultType, _meta: _meta ? { ..._meta, ...own } : own };
  return hints ? { ...signed, ...hints } : signed;
}

/** A page of entries that are encoded already. */
export function encodePage({ kind, items, nextCursor, cache }: EncodedPage, host: Host): EncodedJson {
  const cursor = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  const tail = { resultType: 'complete', ...cache, _meta: signatureOf(host.info) };
  return new EncodedJson(`{"${kind}":[${items.join(',')}]${cursor},${JSON.stringify(tail).slice(1)}`);
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
