/** HTTP responses to requests for the protected resource metadata (RFC 9728). */

import type { ProtectedResource } from './authenticate.ts';

/** HTTP response to a request for protected resource metadata (RFC 9728). Responses to HEAD must omit `body`. */
export interface MetadataReply {
  readonly status: number;
  /** Header fields, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const METHODS = 'GET, HEAD, OPTIONS';
// MCP clients in web pages of any origin may read the metadata, because it is public.
const PUBLIC = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' };
const PREFLIGHT: MetadataReply = {
  status: 204,
  headers: {
    ...PUBLIC,
    allow: METHODS,
    'access-control-allow-methods': METHODS,
    // The wildcard does not include `Authorization` (Fetch standard).
    'access-control-allow-headers': '*, Authorization',
    'access-control-max-age': '86400',
  },
  body: '',
};
const NOT_ALLOWED: MetadataReply = { status: 405, headers: { ...PUBLIC, allow: METHODS }, body: '' };

/** Returns a function that responds to HTTP methods. Responses contain no request data, which could poison shared caches. */
export function metadataReplies({ metadata }: ProtectedResource): (method: string | undefined) => MetadataReply {
  const document: MetadataReply = {
    status: 200,
    headers: { ...PUBLIC, 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
    body: JSON.stringify(metadata),
  };
  const replies: ReadonlyMap<string | undefined, MetadataReply> = new Map([
    ['GET', document],
    ['HEAD', document],
    ['OPTIONS', PREFLIGHT],
  ]);
  return (method) => replies.get(method) ?? NOT_ALLOWED;
}
