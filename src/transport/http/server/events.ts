/** Serialization of server-sent events (SSE). */

import type { Fields } from './http-exchange.ts';

/** Header fields of an SSE response. Proxies must neither transform nor buffer the stream. */
export const EVENT_STREAM: Fields = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** SSE comment for idle streams, so that proxies and clients do not close the connection. */
export const KEEP_ALIVE = ': \n\n';

/** Returns the SSE comment that announces the keep-alive interval, with which clients detect a lost stream. */
export function keepAlivePromise(milliseconds: number): string {
  return `: keep-alive ${Math.ceil(milliseconds)}\n`;
}

/** Returns a message as SSE event. `json` must not contain line breaks. */
export function messageEvent(json: string, id?: string): string {
  return id === undefined ? `event: message\ndata: ${json}\n\n` : `event: message\nid: ${id}\ndata: ${json}\n\n`;
}

/** Returns an event with empty data. Its id lets the client resume the stream; `retryMs` is the client's reconnection delay. */
export function primingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}
