// Load over HTTP: so many connections, each with one request at a time. Requests are bytes that were made before, and of
// an answer only its end is looked for, so that the driver costs less than any server.
import { connect } from 'node:net';
import { AnswerReader } from './answer.mjs';
import { driverCost } from './cost.mjs';
import { Latencies } from './latencies.mjs';

const READ_BYTES = 65_536;

/** A request as bytes. */
export function requestBytes({ path = '/mcp', headers = {}, message }) {
  const body = Buffer.from(JSON.stringify(message));
  const fields = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
    'content-length': body.length,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

/** Sends one request and gives the whole answer: its status, its header fields and its body as text. */
export async function once(port, bytes) {
  const [answer] = await inTurn(port, [bytes]);
  return answer;
}

/** Sends requests over one connection, each when the one before is answered; gives the whole answers. */
export async function inTurn(port, requests) {
  const answers = [];
  let body = [];
  const connection = new Connection(port, (piece) => body.push(Buffer.from(piece)));
  try {
    await connection.opened;
    for (const bytes of requests) {
      body = [];
      await new Promise((resolve, reject) => {
        connection.onAnswer = resolve;
        connection.onError = reject;
        connection.send(bytes);
      });
      const { status, head } = connection.reader;
      answers.push({ status, headers: fieldsOf(head), body: Buffer.concat(body).toString() });
    }
    return answers;
  } finally {
    connection.close();
  }
}

function fieldsOf(head) {
  const lines = head.split('\r\n').slice(1);
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}

/**
 * Keeps `connections` busy until `milliseconds` are over or `count` requests were answered. `bytesFor(connection)` is what
 * each of them sends, again and again, or several requests that it sends in turn. Gives how many were answered, in how many
 * seconds, how long each took, and what the driver itself has cost.
 */
export async function load({ port, connections, milliseconds, count, bytesFor }) {
  const opened = await openLoad({ port, connections, bytesFor });
  try {
    return await opened.run({ milliseconds, count });
  } finally {
    opened.close();
  }
}

/** Opens connections for several runs, so that only the calls are measured. `run` and `bytesFor` are as in `load`. */
export async function openLoad({ port, connections = 32, bytesFor }) {
  const lines = Array.from({ length: connections }, () => new Connection(port));
  const close = () => {
    for (const line of lines) line.close();
  };
  try {
    const requests = lines.map((_, index) => [bytesFor(index)].flat());
    await Promise.all(lines.map((line) => line.opened));
    const run = ({ milliseconds = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY }) =>
      keepBusy(lines, requests, milliseconds, count);
    return { run, close };
  } catch (error) {
    close();
    throw error;
  }
}

function keepBusy(lines, requests, milliseconds, count) {
  const latencies = new Latencies();
  const cost = driverCost();
  const started = performance.now();
  const end = started + milliseconds;
  let begun = 0;
  let answered = 0;
  return new Promise((resolve, reject) => {
    const finish = () =>
      resolve({
        answered,
        seconds: (performance.now() - started) / 1000,
        latencies,
        driverMicroseconds: cost(),
      });
    for (const [index, line] of lines.entries()) {
      const own = requests[index];
      let sent = 0;
      let turn = 0;
      const next = (now) => {
        if (begun >= count || now >= end) return;
        begun++;
        sent = now;
        line.send(own[turn]);
        turn = turn + 1 === own.length ? 0 : turn + 1;
      };
      line.onError = reject;
      line.onAnswer = () => {
        const now = performance.now();
        if (line.reader.status > 299) return reject(new Error(`The server answered ${line.reader.head}`));
        latencies.add(now - sent);
        answered++;
        next(now);
        if (answered === begun) finish();
      };
      next(started);
    }
  });
}

/** One connection that is kept alive. */
class Connection {
  reader;
  onAnswer = () => {};
  onError = () => {};
  #socket;

  constructor(port, onBody) {
    this.reader = new AnswerReader(onBody);
    const take = (size, buffer) => this.#take(buffer.subarray(0, size));
    // Read into the same bytes again and again, past the streams of Node.
    const onread = { buffer: Buffer.allocUnsafe(READ_BYTES), callback: take };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.opened = new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve);
      this.#socket.once('error', reject);
    });
    this.#socket.on('error', (error) => this.onError(error));
    this.#socket.on('close', () => this.onError(new Error('The server closed the connection')));
  }

  send(bytes) {
    this.#socket.write(bytes);
  }

  close() {
    this.onError = () => {};
    this.onAnswer = () => {};
    this.#socket.destroy();
  }

  #take(bytes) {
    try {
      if (this.reader.take(bytes)) this.onAnswer();
    } catch (error) {
      this.onError(error);
    }
    return true;
  }
}
