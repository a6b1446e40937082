/** The questions of a task: each is asked once, and each answer is sent as soon as it is there. */

import { ConnectionError, type InputRequest, type InputResponse, RpcError } from '../../../entries/mcpp.ts';
import { type DetailedTask, isFinal } from '../task.ts';
import { settle } from './ending.ts';
import { type Attend, askAbout, type Followed, type Waiting } from './followed.ts';
import { persistently } from './pace.ts';

// What a person can be asked at once, and over the life of a task.
const MAX_OPEN = 100;
const MAX_ASKED = 1000;

/** Answers what a task asks until it is final, and then gives what is in it. */
export function answerQuestions(followed: Followed, waiting: Waiting): Attend {
  const inputs = new Inputs(followed, waiting);
  return (task) => inputs.attend(task);
}

class Inputs {
  readonly #followed: Followed;
  readonly #waiting: Waiting;
  /** The questions that are being asked, or whose answers are on their way. */
  readonly #open = new Map<string, AbortController>();
  readonly #ready = new Map<string, InputResponse>();
  /** Answers the server did not take. */
  readonly #refused = new Map<string, RpcError>();
  #isSending = false;
  /** How many questions were asked, also those that were taken back or whose answers were refused. */
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

  // Whoever is being asked need not answer what the server does not want to know any more.
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

  // One request at a time: what is answered meanwhile goes with the next.
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
        // The task may have ended meanwhile, or ask something else: that is seen at the next look.
        if (error instanceof RpcError) for (const key of batch.keys()) this.#refused.set(key, error);
        else this.#waiting.reject(error);
      }
      for (const key of batch.keys()) this.#open.delete(key);
    }
    this.#isSending = false;
  }
}
