/** HTTP responses to requests for the protected resource metadata (RFC 9728). */

import type { ProtectedResource } from './authenticate.ts';

/** An HTTP response with the metadata, or with an error. The caller must not send the body in response to HEAD. */
export interface MetadataReply {
  readonly status: number;
  /** Header fields of the response, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const METHODS = 'GET, HEAD, OPTIONS';
// The metadata is public, so MCP clients in web pages of any origin may read it.
const PUBLIC = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' };
const PREFLIGHT: MetadataReply = {
  status: 204,
  headers: {
    ...PUBLIC,
    allow: METHODS,
    'access-control-allow-methods': METHODS,
    // `Authorization` is listed, since the wildcard does not include it (Fetch standard).
    'access-control-allow-headers': '*, Authorization',
    'access-control-max-age': '86400',
  },
  body: '',
};
const NOT_ALLOWED: MetadataReply = { status: 405, headers: { ...PUBLIC, allow: METHODS }, body: '' };

/** Makes the responses, by HTTP method. They contain nothing of the request, so that a request cannot poison a shared cache. */
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
