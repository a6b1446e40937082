/** What a response says its body is. */

import type { ResponseHead } from './sender.ts';

/** What can hold messages, or that it holds none. */
export type BodyKind = 'json' | 'events' | 'nothing' | 'other';

/** The kind of the body that follows. */
export function bodyKind(head: ResponseHead): BodyKind {
  if (head.status === 202 || head.status === 204 || head.header('content-length') === '0') return 'nothing';
  const type = head.header('content-type');
  // Without a type it may be empty, and if it is not it can only be JSON.
  if (type === undefined || type === 'application/json') return 'json';
  const [essence = ''] = type.split(';');
  const name = essence.trim().toLowerCase();
  if (name === 'application/json') return 'json';
  return name === 'text/event-stream' ? 'events' : 'other';
}

/** The content type as an error text can show it. */
export function typeName(head: ResponseHead): string {
  const [essence = ''] = (head.header('content-type') ?? '').split(';');
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(essence.trim()) ? essence.trim() : 'something else';
}
