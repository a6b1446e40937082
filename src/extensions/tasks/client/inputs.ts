/** Responds to the input requests of a task, each once. Responses are sent as soon as they are available. */

import { ConnectionError, type InputRequest, type InputResponse, RpcError } from '../../../entries/mcpp.ts';
import { type DetailedTask, isFinal } from '../task.ts';
import { settle } from './ending.ts';
import { type Attend, askAbout, type Followed, type Waiting } from './followed.ts';
import { persistently } from './pace.ts';

// Maximum number of input requests of a task, open at once and in total. Protects users from a flood of prompts.
const MAX_OPEN = 100;
const MAX_ASKED = 1000;

/** Returns a function that responds to the input requests of a task, and settles the wait when the task is final. */
export function answerQuestions(followed: Followed, waiting: Waiting): Attend {
  const inputs = new Inputs(followed, waiting);
  return (task) => inputs.attend(task);
}

class Inputs {
  readonly #followed: Followed;
  readonly #waiting: Waiting;
  /** Input requests that wait for a response, or for the server to accept the response, by key. */
  readonly #open = new Map<string, AbortController>();
  readonly #ready = new Map<string, InputResponse>();
  /** Errors of input responses that the server refused, by key of the input request. */
  readonly #refused = new Map<string, RpcError>();
  #isSending = false;
  /** Number of input requests so far, including withdrawn ones and those whose responses were refused. */
  #asked: number;

  constructor(followed: Followed, waiting: Waiting) {
    this.#followed = followed;
    this.#waiting = waiting;
    this.#asked = followed.answered.size;
    waiting.signal.addEventListener('abort', () => this.#takeBack(new Set()), { once: true });
  }

  attend(task: DetailedTask): void {
    const { answered, what } = this.#followed;
    if (isFinal(task.status)) {
      settle(task, this.#waiting, what);
      return;
    }
    const questions = Object.entries(task.inputRequests ?? {});
    this.#takeBack(new Set(questions.map(([key]) => key)));
    const fresh = questions.filter(([key]) => !answered.has(key) && !this.#open.has(key));
    const refusal = fresh.map(([key]) => this.#refused.get(key)).find((error) => error !== undefined);
    if (refusal) throw refusal;
    if (questions.length > MAX_OPEN) {
      throw new ConnectionError('malformed', `${what}: the server asked more than ${MAX_OPEN} things at once`);
    }
    this.#asked += fresh.length;
    if (this.#asked > MAX_ASKED) {
      throw new ConnectionError('failed', `${what}: the server asked more than ${MAX_ASKED} things`);
    }
    for (const [key, question] of fresh) void this.#ask(key, question);
  }

  // Aborts the handlers of input requests that the server has withdrawn.
  #takeBack(wanted: ReadonlySet<string>): void {
    for (const [key, abort] of this.#open) {
      if (wanted.has(key)) continue;
      abort.abort(new ConnectionError('aborted', `${this.#followed.what}: the server does not ask this any more`));
      this.#open.delete(key);
      this.#ready.delete(key);
    }
  }

  async #ask(key: string, question: InputRequest): Promise<void> {
    const { peer, what } = this.#followed;
    const abort = new AbortController();
    this.#open.set(key, abort);
    try {
      const answer = await peer.respondToInput(question, { signal: abort.signal });
      if (abort.signal.aborted) return;
      this.#ready.set(key, answer);
    } catch (error) {
      if (abort.signal.aborted) return;
      const isRefused = error instanceof ConnectionError && error.code === 'refused';
      const named = isRefused ? new ConnectionError('refused', `${what}: ${error.message}`, { cause: error }) : error;
      this.#waiting.reject(named);
      return;
    }
    await this.#send();
  }

  // Sends one `tasks/update` at a time. Responses that become available meanwhile are sent with the next one.
  async #send(): Promise<void> {
    const { answered, peer } = this.#followed;
    const { signal } = this.#waiting;
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#ready.size > 0 && !signal.aborted) {
      const batch = new Map(this.#ready);
      this.#ready.clear();
      const inputResponses = Object.fromEntries(batch);
      try {
        await persistently(() => askAbout(this.#followed, 'tasks/update', { inputResponses }, signal), signal, peer);
        for (const key of batch.keys()) answered.add(key);
      } catch (error) {
        // The task can have ended, or have withdrawn the input request. The next poll shows whether the refusal matters.
        if (error instanceof RpcError) for (const key of batch.keys()) this.#refused.set(key, error);
        else this.#waiting.reject(error);
      }
      for (const key of batch.keys()) this.#open.delete(key);
    }
    this.#isSending = false;
  }
}
