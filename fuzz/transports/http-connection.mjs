// HTTP as bytes: writes whatever it is given, and reads the answers.

import { once } from 'node:events';
import { connect } from 'node:net';

/** One answer. `end` settles when it is complete, or the connection is gone. */
class HttpAnswer {
  headers = new Map();
  body = '';
  isComplete = false;
  onBody = () => {};

  constructor(head) {
    const [line = '', ...fields] = head.split('\r\n');
    this.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1]);
    for (const field of fields) {
      const colon = field.indexOf(':');
      if (colon > 0) this.headers.set(field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim());
    }
    this.end = new Promise((resolve) => {
      this.finish = (isComplete) => {
        this.isComplete ||= isComplete;
        resolve();
      };
    });
  }

  get isStream() {
    return this.headers.get('content-type')?.startsWith('text/event-stream') === true;
  }

  add(text) {
    this.body += text;
    this.onBody();
  }
}

export class HttpConnection {
  /** Answers in the order in which they came. */
  answers = [];
  bytes = 0;
  isClosed = false;
  #socket;
  #buffer = Buffer.alloc(0);
  #state = 'head';
  #left = 0;
  #current;
  #decoder = new TextDecoder();
  #wake = () => {};

  static async open(port) {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return new HttpConnection(socket);
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
      while (this.#step());
      this.#wake();
    });
    socket.once('close', () => {
      this.isClosed = true;
      this.#current?.finish(this.#state === 'all');
      this.#wake();
    });
  }

  write(bytes) {
    this.bytes += bytes.length;
    if (!this.isClosed) this.#socket.write(bytes);
  }

  pause() {
    this.#socket.pause();
  }

  resume() {
    this.#socket.resume();
  }

  /** The answer with this number, when its head is there; undefined if the connection closed first or the time is over. */
  async answer(index, waitMs) {
    const deadline = Date.now() + waitMs;
    while (this.answers.length <= index && !this.isClosed) {
      const left = deadline - Date.now();
      if (left <= 0) return undefined;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.answers[index];
  }

  async close() {
    if (this.isClosed) return;
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#socket.destroy();
    await closed;
  }

  // True if there may be more to do with what is in the buffer.
  #step() {
    if (this.#state === 'head') return this.#readHead();
    if (this.#state === 'size') return this.#readSize();
    const isAll = this.#state === 'all';
    const taken = this.#buffer.subarray(0, isAll ? this.#buffer.length : this.#left);
    if (taken.length > 0) this.#current.add(this.#decoder.decode(taken, { stream: true }));
    this.#buffer = this.#buffer.subarray(taken.length);
    this.#left -= taken.length;
    if (isAll || this.#left > 0) return false;
    if (this.#state === 'chunk') this.#state = 'size';
    else this.#finish();
    return true;
  }

  #readHead() {
    // The line end after the last chunk may come late.
    while (this.#buffer[0] === 13 || this.#buffer[0] === 10) this.#buffer = this.#buffer.subarray(1);
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const answer = new HttpAnswer(this.#buffer.subarray(0, end).toString('latin1'));
    this.#buffer = this.#buffer.subarray(end + 4);
    if (answer.status === 100) return true;
    this.answers.push(answer);
    this.#current = answer;
    this.#decoder = new TextDecoder();
    const length = answer.headers.get('content-length');
    if (answer.headers.get('transfer-encoding') === 'chunked') this.#state = 'size';
    else if (length !== undefined) {
      this.#left = Number(length);
      this.#state = 'body';
    } else if (answer.status === 204 || answer.status === 304) this.#finish();
    else this.#state = answer.headers.get('connection') === 'close' ? 'all' : 'none';
    if (this.#state === 'none') this.#finish();
    return true;
  }

  #readSize() {
    const end = this.#buffer.indexOf('\r\n', this.#buffer[0] === 13 ? 2 : 0);
    if (end < 0) return false;
    this.#left = Number.parseInt(this.#buffer.subarray(0, end).toString('latin1').trim(), 16);
    this.#buffer = this.#buffer.subarray(end + 2);
    if (this.#left > 0) this.#state = 'chunk';
    else this.#finish();
    return true;
  }

  #finish() {
    this.#state = 'head';
    this.#current.finish(true);
    this.#current = undefined;
  }
}

/** Takes the complete events from the text of a stream. */
export function takeEvents(answer) {
  const end = answer.body.lastIndexOf('\n\n');
  if (end < 0) return [];
  const blocks = answer.body.slice(0, end).split('\n\n');
  answer.body = answer.body.slice(end + 2);
  return blocks.map(eventOf).filter(({ data }) => data !== '');
}

function eventOf(block) {
  const fields = (name) =>
    block
      .split('\n')
      .flatMap((line) => (line.startsWith(`${name}:`) ? line.slice(name.length + 1).replace(/^ /, '') : []));
  return { event: fields('event')[0], id: fields('id')[0], data: fields('data').join('\n') };
}
