/** Says no to a request that wants another protocol: by then only its socket is left. */

import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers';
import { NO_SNIFFING } from '../http/server/http-exchange.ts';

/** An answer in place of a WebSocket. */
export interface Refusal {
  readonly status: number;
  /** For people. */
  readonly message: string;
  /** By their names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

// A client that does not read its refusal does not keep the socket.
const READ_MS = 1000;

/** Answers and hangs up. */
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
