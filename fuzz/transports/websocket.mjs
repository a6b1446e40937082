// Messages as WebSocket text messages, in frames of any kind.

import { once } from 'node:events';
import { connect } from 'node:net';
import { conversation } from '../conversation.mjs';
import { chunkBorders } from '../mutations.mjs';
import { Fault } from '../received.mjs';
import { answering, converse } from './duplex.mjs';
import { unread } from './stdio.mjs';
import { FrameReader, frame, Opcode, oddFrame, textFrames } from './websocket-frames.mjs';

const MAX_MESSAGE = 4 * 2 ** 20;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const name = 'websocket';

export function generate(random) {
  const isUnread = random.chance(0.03);
  const steps = isUnread ? unread(random) : conversation(random);
  if (random.chance(0.15)) steps.splice(random.below(steps.length + 1), 0, { bytes: oddFrame(random) });
  // A client that leaves more than 16 MiB unread is disconnected.
  return { steps, isUnread, token: random.pick([undefined, undefined, 'reader', 'writer']), ...answering(random) };
}

export async function run(one, { ports, waitMs, fork }) {
  const link = new SocketLink(fork('frames'));
  link.mayClose = one.isUnread;
  await link.open(one.token ? ports.secureWebsocket : ports.websocket, one.token);
  return converse(one, link, waitMs);
}

class SocketLink {
  onText = () => {};
  isClosed = false;
  /** Something was sent for which the server has to close the connection. */
  mayClose = false;
  wasClosed = false;
  bytes = 0;
  #socket;
  #random;
  #reader = new FrameReader();

  constructor(random) {
    this.#random = random;
  }

  async open(port, token) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('error', () => {});
    await once(this.#socket, 'connect');
    const fields = [
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: mcp',
      ...(token ? [`Authorization: Bearer ${token}`] : []),
    ];
    this.#socket.write(`GET /mcp HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
    const [head] = await once(this.#socket, 'data');
    const end = head.indexOf('\r\n\r\n');
    if (!head.toString('latin1').startsWith('HTTP/1.1 101'))
      throw new Fault('the upgrade was refused', head.toString('latin1'));
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#read(head.subarray(end + 4));
    this.#socket.once('close', () => {
      this.wasClosed ||= !this.isClosed;
      this.isClosed = true;
    });
  }

  messagesIn(bytes) {
    return [bytes];
  }

  async write(message) {
    this.writeFrames(textFrames(message, chunkBorders(message.length, this.#random)));
    this.mayClose ||= message.length > MAX_MESSAGE || !isText(message);
    return !this.mayClose;
  }

  writeFrames(frames) {
    const bytes = Buffer.concat(frames);
    this.bytes += bytes.length;
    this.#socket.write(bytes);
  }

  writeRaw(bytes) {
    this.mayClose = true;
    this.writeFrames([bytes]);
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
    if (this.#random.chance(0.5)) this.#socket.write(frame(Opcode.close, Buffer.from([3, 232])));
    this.#socket.destroySoon();
    this.#socket.resume();
    const timer = setTimeout(() => this.#socket.destroy(), 1000);
    await closed;
    clearTimeout(timer);
  }

  #read(chunk) {
    for (const { opcode, payload } of this.#reader.push(chunk)) {
      if (opcode === Opcode.text) this.onText(payload.toString());
      else if (opcode === Opcode.ping) this.writeFrames([frame(Opcode.pong, payload)]);
    }
  }
}

function isText(bytes) {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
