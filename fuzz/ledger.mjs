// Counts requests and answers of one connection: exactly one answer for each readable id, none if it was cancelled.

import { readSent } from './readable.mjs';
import { Fault, isMessage, messagesIn } from './received.mjs';

const BATCH_REVISIONS = ['2024-11-05', '2025-03-26'];

export class Ledger {
  /** The revision that `initialize` agreed on. */
  revision;
  /** The most messages in a row that were not JSON-RPC: a server may disconnect for 1,000. */
  unreadable = 0;
  /** Valid requests that were sent. */
  requests = 0;
  #unreadableNow = 0;
  #sent = new Map();
  #requests = new Map();
  #owed = new Map();
  #answered = new Map();
  #cancelled = new Set();
  #wake = () => {};

  /** Takes note of one message or batch that was sent. */
  sent(bytes) {
    const read = readSent(bytes, { batches: BATCH_REVISIONS.includes(this.revision) });
    this.#unreadableNow = [read.value].flat().some(isMessage) ? 0 : this.#unreadableNow + 1;
    this.unreadable = Math.max(this.unreadable, this.#unreadableNow);
    for (const key of read.keys) add(this.#sent, key, 1);
    for (const key of read.cancelled) this.#cancelled.add(key);
    if (read.keys.length === 1 && !Array.isArray(read.value)) this.#requests.set(read.keys[0], read.value);
    return read;
  }

  /** What was sent arrived: its requests have to be answered. */
  owe({ owed }) {
    this.requests += owed.length;
    for (const key of owed) add(this.#owed, key, 1);
  }

  /** Takes note of one message or batch that was received, and gives the requests in it, and the results beside their requests. */
  received(text) {
    const requests = [];
    const results = [];
    for (const message of messagesIn(text)) {
      if (message.method !== undefined) {
        if (message.id !== undefined) requests.push(message);
        continue;
      }
      this.revision ??= message.result?.protocolVersion;
      if (message.id === undefined || message.id === null) continue;
      const key = JSON.stringify(message.id);
      this.#count(key, text);
      if (message.result) results.push({ request: this.#requests.get(key), result: message.result });
    }
    this.#wake();
    return { requests, results };
  }

  #count(key, text) {
    const answers = add(this.#answered, key, 1);
    const requests = this.#sent.get(key) ?? 0;
    if (answers > requests)
      throw new Fault(`${answers} answers to ${requests} requests with the id ${key.slice(0, 80)}`, text);
  }

  /**
   * Ids that still wait for their answer. A request whose id is in use gets its error without an id, so of several requests
   * with the same id at least one is answered, if none of them may wait.
   */
  get missing() {
    const isMissing = ([key, owed]) =>
      owed === this.#sent.get(key) && !this.#answered.has(key) && !this.#cancelled.has(key);
    return [...this.#owed].filter(isMissing).map(([key]) => key);
  }

  /** Waits until every answer has come. Throws `Fault` if one does not within the time, unless `isOver` says that none will. */
  async complete(waitMs, isOver) {
    const deadline = Date.now() + waitMs;
    while (this.missing.length > 0 && !isOver()) {
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Fault(
          `no answer within ${waitMs} ms to ${this.missing.length} requests: ${this.missing.slice(0, 5)}`,
        );
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 50));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

function add(counts, key, count) {
  const sum = (counts.get(key) ?? 0) + count;
  counts.set(key, sum);
  return sum;
}
