/** HTTP as it is on the wire: bytes out, bytes in. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One answer, as it was sent. */
export interface RawAnswer {
  readonly status: number;
  /** The status line and the header fields. */
  readonly head: string;
  readonly body: string;
}

/** A connection that sends whatever it is told to. */
export class RawConnection {
  readonly socket: Socket;
  /** Settles when the server has closed the connection. */
  readonly closed: Promise<void>;
  #received = Buffer.alloc(0);
  #isOver = false;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isOver = true;
        this.#wake();
        resolve();
      });
    });
  }

  /** Sends these bytes. */
  write(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** The next answer, in one piece. */
  async answer(): Promise<RawAnswer> {
    const head = (await this.upTo('\r\n\r\n')).toString('latin1');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    if (status === 100 || status === 204) return { status, head, body: '' };
    if (length !== undefined) return { status, head, body: (await this.#take(Number(length))).toString() };
    if (/^transfer-encoding: chunked/im.test(head)) return { status, head, body: await this.#chunks() };
    throw new Error(`An answer of unknown length: ${head}`);
  }

  /** Everything up to and including these characters. */
  async upTo(mark: string): Promise<Buffer> {
    for (;;) {
      const at = this.#received.indexOf(mark);
      if (at >= 0) return this.#take(at + mark.length);
      await this.#more();
    }
  }

  async #chunks(): Promise<string> {
    const parts: Buffer[] = [];
    for (;;) {
      const size = Number.parseInt((await this.upTo('\r\n')).toString('latin1'), 16);
      const chunk = await this.#take(size + 2);
      if (size === 0) return Buffer.concat(parts).toString();
      parts.push(chunk.subarray(0, size));
    }
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#received.length < length) await this.#more();
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }

  async #more(): Promise<void> {
    if (this.#isOver) throw new Error(`The connection was closed after: ${JSON.stringify(this.#received.toString())}`);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Hangs up. */
  destroy(): void {
    this.socket.destroy();
  }
}

/** Connects to a port of this machine. */
export async function connectTo(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return new RawConnection(socket);
}

/** Sends these bytes on a connection of their own, and gives the first answer. */
export async function answerTo(port: number, bytes: string | Uint8Array): Promise<RawAnswer> {
  const connection = await connectTo(port);
  try {
    return await connection.write(bytes).answer();
  } finally {
    connection.destroy();
  }
}

/** A request as text. Its length is said unless the fields say it. */
export function rawRequest(line: string, fields: readonly string[], body = ''): string {
  const isSaid = fields.some((field) => /^(content-length|transfer-encoding):/i.test(field));
  const length = isSaid || body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return `${[line, ...fields, ...length].join('\r\n')}\r\n\r\n${body}`;
}
