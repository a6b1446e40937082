// Messages as lines, as standard input and output carry them. The server program serves them on a socket.

import { once } from 'node:events';
import { connect } from 'node:net';
import { conversation } from '../conversation.mjs';
import { requestOf } from '../floods.mjs';
import { chunkBorders } from '../mutations.mjs';
import { answering, converse } from './duplex.mjs';

const LINE_END = Buffer.from('\n');

export const name = 'stdio';

export function generate(random) {
  const steps = random.chance(0.03) ? unread(random) : conversation(random);
  // The connection ends within a message.
  if (random.chance(0.05)) steps.push({ bytes: Buffer.from('{"jsonrpc":"2.0","id":"half"') });
  return { steps, cutSeed: random.below(2 ** 31), ...answering(random) };
}

/** Large answers to a client that does not read for a while. */
export function unread(random) {
  const revision = '2026-07-28';
  const size = random.pick([1000, 100_000, 1_000_000]);
  const calls = Array.from({ length: random.pick([10, 40]) }, (_, id) => ({
    message: requestOf(revision, id, 'tools/call', { name: 'big', arguments: { size } }),
  }));
  return [{ pause: true }, ...calls, { resume: true }];
}

export async function run(one, { ports, waitMs, fork }) {
  const socket = connect(ports.stdio, '127.0.0.1');
  await once(socket, 'connect');
  const link = new LineLink(socket, fork('cuts'));
  return converse(one, link, waitMs);
}

class LineLink {
  onText = () => {};
  isClosed = false;
  /** What was sent last is cut off. */
  mayClose = false;
  /** Closed by the server. */
  wasClosed = false;
  bytes = 0;
  #socket;
  #random;
  #rest = [];

  constructor(socket, random) {
    this.#socket = socket;
    this.#random = random;
    socket.on('error', () => {});
    socket.on('data', (chunk) => this.#read(chunk));
    socket.once('close', () => {
      this.wasClosed ||= !this.isClosed;
      this.isClosed = true;
    });
  }

  messagesIn(bytes) {
    return linesIn(bytes);
  }

  async write(message) {
    this.#write(Buffer.concat([message, LINE_END]));
    return !this.mayClose;
  }

  /** Writes what is no line: what follows it belongs to it. */
  writeRaw(bytes) {
    this.mayClose = true;
    this.#write(bytes);
  }

  #write(bytes) {
    this.bytes += bytes.length;
    let start = 0;
    for (const end of [...chunkBorders(bytes.length, this.#random), bytes.length]) {
      this.#socket.write(bytes.subarray(start, end));
      start = end;
    }
  }

  pause() {
    this.#socket.pause();
  }

  resume() {
    this.#socket.resume();
  }

  async close() {
    if (this.isClosed) return;
    this.isClosed = true;
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#socket.destroy();
    await closed;
  }

  #read(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...this.#rest.splice(0), chunk.subarray(start, end)]);
      start = end + 1;
      this.onText(line.toString());
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  }
}

function linesIn(bytes) {
  const lines = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)].filter(({ length }) => length > 0);
}
