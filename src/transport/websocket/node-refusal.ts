/** Refuses an upgrade request with an HTTP response that is written to the socket. */

import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers';
import { NO_SNIFFING } from '../http/server/http-exchange.ts';

/** HTTP response to a refused upgrade request. */
export interface Refusal {
  readonly status: number;
  /** Text of the response body. */
  readonly message: string;
  /** Keyed by lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

// Time for the client to read the response before the socket is destroyed, in milliseconds.
const READ_MS = 1000;

/** Sends the response and closes the socket. */
export function refuse(socket: Duplex, { status, message, headers = {} }: Refusal): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = `${message}\n`;
  const fields = Object.entries({
    ...NO_SNIFFING,
    ...headers,
    connection: 'close',
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  });
  for (const [name, value] of fields) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const timer = setTimeout(() => socket.destroy(), READ_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body}`);
}
