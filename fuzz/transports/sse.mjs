// HTTP+SSE of 2024-11-05: messages are posted, answers come on a stream.

import { conversation } from '../conversation.mjs';
import { STATEFUL } from '../corpus.mjs';
import { Fault } from '../received.mjs';
import { answering, converse } from './duplex.mjs';
import { HttpConnection, takeEvents } from './http-connection.mjs';
import { brokenRequest, bytesOf, get, post, writeCut } from './http-requests.mjs';

export const name = 'sse';

export function generate(random) {
  const steps = conversation(random, { revisions: [...STATEFUL, '2024-11-05', '2024-11-05'] }).slice(0, 120);
  const heads = steps.map(() => (random.chance(0.06) ? random.below(2 ** 31) : 0));
  return {
    steps: steps.map((step, index) => ({ ...step, headSeed: heads[index] })),
    token: random.pick([undefined, undefined, 'reader', 'writer']),
    ...answering(random),
  };
}

export async function run(one, { ports, waitMs, fork }) {
  const link = new SseLink(one.token ? ports.secureHttp : ports.http, one.token, waitMs, fork);
  await link.open();
  return converse(one, link, waitMs);
}

class SseLink {
  onText = () => {};
  isClosed = false;
  mayClose = false;
  wasClosed = false;
  bytes = 0;
  #port;
  #token;
  #waitMs;
  #fork;
  #stream;
  #endpoint;
  #count = 0;

  constructor(port, token, waitMs, fork) {
    this.#port = port;
    this.#token = token;
    this.#waitMs = waitMs;
    this.#fork = fork;
  }

  get #values() {
    return { host: `127.0.0.1:${this.#port}`, session: 'none' };
  }

  async open() {
    this.#stream = await HttpConnection.open(this.#port);
    this.#stream.write(bytesOf(get('text/event-stream', { token: this.#token }), this.#values));
    const answer = await this.#stream.answer(0, this.#waitMs);
    if (answer?.status !== 200) throw new Fault(`the stream was answered with ${answer?.status}`);
    const isOpen = new Promise((resolve) => {
      answer.onBody = () => {
        for (const { event, data } of takeEvents(answer)) {
          if (event !== 'endpoint') this.onText(data);
          else {
            this.#endpoint = data;
            resolve();
          }
        }
      };
    });
    answer.onBody();
    await isOpen;
    void answer.end.then(() => {
      this.wasClosed ||= !this.isClosed;
      this.isClosed = true;
    });
  }

  messagesIn(bytes) {
    return [bytes];
  }

  /** Posts a message. It is owed an answer if it was accepted. */
  async write(message, { headSeed = 0 } = {}) {
    const made = post(message, { token: this.#token, target: this.#endpoint });
    const request = headSeed ? brokenRequest(made, this.#fork(headSeed)) : made;
    const connection = await HttpConnection.open(this.#port);
    try {
      const bytes = bytesOf(request, this.#values);
      await writeCut(connection, bytes, this.#fork(`cuts ${this.#count++}`));
      this.bytes += bytes.length;
      const answer = await connection.answer(0, request.isFramed ? this.#waitMs : 50);
      if (request.isFramed && !answer && !connection.isClosed) throw new Fault('a POST was not answered');
      return request.isFramed && answer?.status === 202;
    } finally {
      await connection.close();
    }
  }

  pause() {
    this.#stream.pause();
  }

  resume() {
    this.#stream.resume();
  }

  writeRaw() {}

  async close() {
    this.isClosed = true;
    await this.#stream.close();
  }
}
