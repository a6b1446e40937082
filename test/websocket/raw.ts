/** A WebSocket client made of bytes, which can do everything that is forbidden. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Kinds of frames. */
export const Opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** One frame of the server's. */
export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A frame of a client's: masked, as it has to be, with a mask that changes nothing. */
export function frame(
  opcode: number,
  payload: string | Buffer = '',
  { fin = true, length = -1 }: { readonly fin?: boolean; readonly length?: number } = {},
): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(14);
  head[0] = (fin ? 0x80 : 0) | opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length < 0 ? bytes.length : length), 2);
  if (opcode < 8) return Buffer.concat([head, bytes]);
  // A control frame has a short head.
  return Buffer.concat([Buffer.from([head[0] ?? 0, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}

/** The opening request, with these header fields instead of the usual ones; an empty text leaves one out. */
export function opening(url: string, fields: Readonly<Record<string, string>> = {}, method = 'GET'): string {
  const { host, pathname, search } = new URL(url);
  const all = {
    Host: host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}\r\n`]));
  return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** The connection. */
export class RawClient {
  readonly socket: Socket;
  /** Settles when the socket is gone. */
  readonly gone: Promise<unknown>;
  #received = Buffer.alloc(0);
  #chunks: Buffer[] = [];
  #ended = false;
  #wake: () => void = () => {};

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on('error', () => {});
    this.gone = once(this.socket, 'close').then(() => {
      this.#ended = true;
      this.#wake();
    });
    this.socket.on('data', (data) => {
      this.#chunks.push(data);
      this.#wake();
    });
  }

  /** One that was let in. */
  static async open(url: string, fields?: Readonly<Record<string, string>>): Promise<RawClient> {
    const client = new RawClient(url);
    const { status } = await client.ask(opening(url, fields));
    if (status !== 101) throw new Error(`the server answers ${status}`);
    return client;
  }

  /** Sends a request and gives its answer, with the body of one that is not let in. */
  async ask(request: string): Promise<{ status: number; head: string; body: string }> {
    this.socket.write(request);
    while (!this.#received.includes('\r\n\r\n')) await this.#more();
    const end = this.#received.indexOf('\r\n\r\n') + 4;
    const head = this.#received.subarray(0, end).toString();
    this.#received = this.#received.subarray(end);
    const status = Number(head.split(' ')[1]);
    if (status !== 101) {
      await this.gone;
      this.#received = Buffer.concat([this.#received, ...this.#chunks.splice(0)]);
    }
    return { status, head, body: this.#received.toString() };
  }

  write(...frames: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** The next frame of the server's; undefined if it has hung up. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const [first = 0, second = 0] = this.#received;
      const short = second & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (this.#received.length >= head) {
        const length =
          short < 126
            ? short
            : short === 126
              ? this.#received.readUInt16BE(2)
              : Number(this.#received.readBigUInt64BE(2));
        if (this.#received.length >= head + length) {
          const payload = this.#received.subarray(head, head + length);
          this.#received = this.#received.subarray(head + length);
          return { opcode: first & 0x0f, payload };
        }
      }
      if (this.#ended && this.#chunks.length === 0) return undefined;
      await this.#more();
    }
  }

  /** The code the server closes with, after whatever else it says; undefined if it hangs up without one. */
  async closeCode(): Promise<number | undefined> {
    for (let frame = await this.next(); frame; frame = await this.next()) {
      if (frame.opcode === Opcode.close) return frame.payload.readUInt16BE(0);
    }
    return undefined;
  }

  async #more(): Promise<void> {
    if (this.#chunks.length === 0) {
      if (this.#ended) throw new Error('the server has hung up');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#received = Buffer.concat([this.#received, ...this.#chunks.splice(0)]);
  }
}
