// Sends the requests of one case over HTTP and checks what is answered.

import { brokenMessage } from '../conversation.mjs';
import { answerTo, followUp } from '../corpus.mjs';
import { Random } from '../random.mjs';
import { readSent } from '../readable.mjs';
import { checkText, Fault, messagesIn } from '../received.mjs';
import { HttpConnection, takeEvents } from './http-connection.mjs';
import { bytesOf, post, writeCut } from './http-requests.mjs';

const BATCH_REVISIONS = ['2024-11-05', '2025-03-26'];
/** Time for what may come or not. */
const STREAM_MS = 30;
const MAX_FOLLOW_UPS = 4;

export class HttpRun {
  #one;
  #port;
  #waitMs;
  #fork;
  #random;
  #connections = new Map();
  /** Every connection of the case: those that were replaced stay open until its end. */
  #all = [];
  #session;
  /** Every session that was opened, with the header fields of its first request. */
  #sessions = new Map();
  #revision;
  #cancelled = new Set();
  #pending = [];
  #followUps = 0;
  #requests = 0;
  #fault;
  #isClosed = false;

  constructor(one, port, waitMs, fork) {
    this.#one = one;
    this.#port = port;
    this.#waitMs = waitMs;
    this.#fork = fork;
    this.#random = new Random(one.answerSeed);
  }

  /** What was sent: bytes, and valid requests in them. */
  get input() {
    return { bytes: this.#all.reduce((sum, { bytes }) => sum + bytes, 0), requests: this.#requests };
  }

  async send(step) {
    if (this.#fault) throw this.#fault;
    const connection = await this.#connection(step);
    const whole = bytesOf(step, this.#values);
    const bytes = step.mutate ? step.mutate(whole) : whole;
    if (step.isUnread) connection.pause();
    const index = connection.expected ?? 0;
    connection.expected = index + 1;
    connection.isBlocked ||= step.isPipelined;
    if (step.cutAfter !== undefined) {
      connection.write(bytes.subarray(0, Math.floor(bytes.length * step.cutAfter)));
      await this.#drop(step.on);
      return;
    }
    await writeCut(connection, bytes, this.#fork(`cuts ${index}`));
    const read =
      step.isFramed && step.line.startsWith('POST')
        ? readSent(step.body, { batches: BATCH_REVISIONS.includes(this.#revision) })
        : undefined;
    this.#requests += read?.owed.length ?? 0;
    for (const key of read?.cancelled ?? []) this.#cancelled.add(key);
    if (step.hangUp) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#drop(step.on);
      return;
    }
    const done = this.#check(step, connection, index, read);
    this.#pending.push(done.catch((error) => (this.#fault ??= error)));
    if (!step.isPipelined) await done;
    // What follows a request that is not framed may be taken for a part of it.
    if (!step.isFramed) await this.#drop(step.on);
  }

  /** Waits for what was sent without waiting. */
  async complete() {
    const isUnread = this.#one.steps.some((step) => step.isUnread);
    if (isUnread) await new Promise((resolve) => setTimeout(resolve, 300));
    else await Promise.race([Promise.all(this.#pending), new Promise((resolve) => setTimeout(resolve, STREAM_MS))]);
    if (this.#fault) throw this.#fault;
  }

  /** Hangs up, and ends the sessions. */
  async close() {
    this.#isClosed = true;
    await Promise.all(this.#all.map((connection) => connection.close()));
    await Promise.all([...this.#sessions].map(([session, fields]) => this.#endSession(session, fields)));
  }

  async #endSession(session, fields) {
    const kept = fields.filter(([name]) => name === 'Authorization');
    const made = {
      line: 'DELETE /mcp HTTP/1.1',
      fields: [['Host', '{host}'], ['Mcp-Session-Id', session], ...kept],
      body: Buffer.alloc(0),
    };
    const connection = await HttpConnection.open(this.#port);
    connection.write(bytesOf(made, this.#values));
    await connection.answer(0, this.#waitMs);
    await connection.close();
  }

  get #values() {
    return { host: `127.0.0.1:${this.#port}`, session: this.#session ?? 'none' };
  }

  // Responses come in the order of the requests, so a request behind one that is not answered needs a connection of its own.
  async #connection({ on, isPipelined = false }) {
    const known = this.#connections.get(on);
    if (known && !known.isClosed && (isPipelined || !known.isBlocked)) return known;
    const connection = await HttpConnection.open(this.#port);
    this.#connections.set(on, connection);
    this.#all.push(connection);
    if (this.#isClosed) await connection.close();
    return connection;
  }

  async #drop(on) {
    const connection = this.#connections.get(on);
    this.#connections.delete(on);
    await connection?.close();
  }

  async #check(step, connection, index, read) {
    if (step.isUnread) return;
    const isAwaited = step.isFramed && !step.isPipelined;
    const isDue = isAwaited && !isWaiting(read);
    const answer = await connection.answer(index, isDue ? this.#waitMs : STREAM_MS);
    if (!answer) {
      if (isDue && !connection.isClosed) throw new Fault(`no HTTP response within ${this.#waitMs} ms`);
      connection.isBlocked = true;
      return;
    }
    const received = new Received(step, read, answer, (message, request) => this.#react(message, request));
    this.#session = answer.headers.get('mcp-session-id') ?? this.#session;
    if (this.#session && !this.#sessions.has(this.#session)) this.#sessions.set(this.#session, step.fields);
    checkHead(answer);
    if (answer.isStream) {
      answer.onBody = () => this.#guard(() => received.takeEvents());
      received.takeEvents();
    }
    const isOwed =
      isAwaited && read !== undefined && read.owed.length > 0 && !read.owed.some((key) => this.#cancelled.has(key));
    const timer = new Promise((resolve) => setTimeout(resolve, isOwed ? this.#waitMs : STREAM_MS, 'late').unref());
    const late = (await Promise.race([answer.end, timer])) === 'late';
    connection.isBlocked ||= late;
    if (!answer.isStream && answer.isComplete) received.takeBody();
    if (late && isOwed && !read.owed.some((key) => this.#cancelled.has(key)))
      throw new Fault(`the response is not complete after ${this.#waitMs} ms`);
    if (isOwed && answer.isComplete && answer.status === 200) received.checkAnswered(this.#cancelled);
    this.#revision ??= received.revision;
  }

  #guard(action) {
    try {
      action();
    } catch (error) {
      this.#fault ??= error;
    }
  }

  /** Answers the server's requests, and sends what a result asks for. */
  #react(message, request) {
    if (this.#isClosed || this.#one.answers === 'none' || this.#followUps >= MAX_FOLLOW_UPS) return;
    const again = message.method === undefined ? followUp(request, message.result) : answerTo(message);
    if (!again) return;
    this.#followUps++;
    const body =
      this.#one.answers === 'valid' ? Buffer.from(JSON.stringify(again)) : brokenMessage(again, this.#random);
    const token = this.#one.isSecure ? 'writer' : undefined;
    const isStateless = again.params !== undefined;
    const made = post(body, {
      session: !isStateless,
      token,
      version: isStateless ? '2026-07-28' : undefined,
      message: again,
    });
    this.#pending.push(
      this.send({ ...made, on: `answer ${this.#followUps}` }).catch((error) => (this.#fault ??= error)),
    );
  }
}

/** Whether a request is in it whose handler may wait for more than this. */
function isWaiting(read) {
  return read !== undefined && read.keys.length > read.owed.length;
}

function checkHead({ status, headers }) {
  // Node itself answers what is not HTTP, and expectations that it does not know. These answers have no body.
  const isFromNode =
    status === 417 ||
    (headers.get('connection') === 'close' && !headers.has('content-type') && !headers.has('content-length'));
  if (!isFromNode && headers.get('x-content-type-options') !== 'nosniff')
    throw new Fault(`an answer with status ${status} has no nosniff`);
}

/** The messages of one HTTP response. */
class Received {
  revision;
  #step;
  #read;
  #answer;
  #onMessage;
  #answered = new Map();

  constructor(step, read, answer, onMessage) {
    this.#step = step;
    this.#read = read;
    this.#answer = answer;
    this.#onMessage = onMessage;
  }

  takeEvents() {
    for (const { event, data } of takeEvents(this.#answer))
      if (event === undefined || event === 'message') this.#take(data);
  }

  takeBody() {
    const { body, headers } = this.#answer;
    if (headers.get('content-type')?.startsWith('application/json')) this.#take(body);
    else checkText(body);
  }

  #take(text) {
    for (const message of messagesIn(text)) {
      this.revision ??= message.result?.protocolVersion;
      const isCall = message.method !== undefined;
      if (!isCall && message.id !== undefined && message.id !== null) this.#count(JSON.stringify(message.id), text);
      if (!isCall || message.id !== undefined) this.#onMessage(message, this.#read?.value);
    }
  }

  #count(key, text) {
    const answers = (this.#answered.get(key) ?? 0) + 1;
    this.#answered.set(key, answers);
    if (!this.#read) return;
    const requests = this.#read.keys.filter((known) => known === key).length;
    if (answers > requests)
      throw new Fault(`${answers} answers to ${requests} requests with the id ${key.slice(0, 80)}`, text);
  }

  checkAnswered(cancelled) {
    const missing = this.#read.owed.filter((key) => !this.#answered.has(key) && !cancelled.has(key));
    if (missing.length > 0)
      throw new Fault(`no answer in a response with status 200 to ${missing.slice(0, 5)}`, this.#step.line);
  }
}
