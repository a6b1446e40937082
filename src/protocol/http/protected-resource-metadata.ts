/** How requests for the protected resource metadata are answered (RFC 9728), whoever answers them. */

import type { ProtectedResource } from './authenticate.ts';

/** An answer. That one to HEAD is sent without its body. */
export interface MetadataReply {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const METHODS = 'GET, HEAD, OPTIONS';
// It is public, and web pages that are MCP clients need it.
const PUBLIC = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' };
const PREFLIGHT: MetadataReply = {
  status: 204,
  headers: {
    ...PUBLIC,
    allow: METHODS,
    'access-control-allow-methods': METHODS,
    // The one that the asterisk does not stand for.
    'access-control-allow-headers': '*, Authorization',
    'access-control-max-age': '86400',
  },
  body: '',
};
const NOT_ALLOWED: MetadataReply = { status: 405, headers: { ...PUBLIC, allow: METHODS }, body: '' };

/** Answers by the method. Nothing of it comes from the request: whoever asks cannot change where others are sent. */
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
