/** Content types of HTTP responses. */

import type { ResponseHead } from './sender.ts';

/** How to read a response body. `nothing` is an empty body; `other` is a content type that cannot hold messages. */
export type BodyKind = 'json' | 'events' | 'nothing' | 'other';

export function bodyKind(head: ResponseHead): BodyKind {
  if (head.status === 202 || head.status === 204 || head.header('content-length') === '0') return 'nothing';
  const type = head.header('content-type');
  // Without `Content-Type`, the body is empty or JSON.
  if (type === undefined || type === 'application/json') return 'json';
  const [essence = ''] = type.split(';');
  const name = essence.trim().toLowerCase();
  if (name === 'application/json') return 'json';
  return name === 'text/event-stream' ? 'events' : 'other';
}

/** Returns the media type for error messages; `something else` if the header is missing or malformed. */
export function typeName(head: ResponseHead): string {
  const [essence = ''] = (head.header('content-type') ?? '').split(';');
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(essence.trim()) ? essence.trim() : 'something else';
}
