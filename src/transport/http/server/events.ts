/** Server-sent events as text. */

import type { Fields } from './http-exchange.ts';

/** Header fields of an event stream. Proxies must neither change nor hold it back. */
export const EVENT_STREAM: Fields = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Keeps a connection that has nothing to say from being taken for dead. */
export const KEEP_ALIVE = ': \n\n';

/**
 * A comment in front of the first event of a stream that stays open: at least every so many milliseconds something comes, so
 * that a client can take a stream without keep-alives for lost.
 */
export function keepAlivePromise(milliseconds: number): string {
  return `: keep-alive ${Math.ceil(milliseconds)}\n`;
}

/** A message as an event. JSON has no line ends inside. */
export function messageEvent(json: string, id?: string): string {
  return id === undefined ? `event: message\ndata: ${json}\n\n` : `event: message\nid: ${id}\ndata: ${json}\n\n`;
}

/** An event without a message: tells a client from where, and after how many milliseconds, it can come back. */
export function primingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}
