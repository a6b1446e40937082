/** `Shared`: single-flight work with several waiters. The work is aborted when the last waiter leaves. */

import { reasonOf } from './followed.ts';

/** Shared work. `tell` passes an update to all current waiters. */
export type Work<Outcome, News> = (signal: AbortSignal, tell: (news: News) => void) => Promise<Outcome>;

/** Options of one waiter. */
export interface Wait<News> {
  /** Name of the work in error messages. */
  readonly what: string;
  /** Ends the wait of this waiter only. */
  readonly signal: AbortSignal | undefined;
  /** Called with each update of the work. An exception rejects this waiter only. */
  readonly onNews: ((news: News) => void) | undefined;
}

interface Running<Outcome, News> {
  readonly outcome: Promise<Outcome>;
  readonly abort: AbortController;
  readonly waiting: Set<(news: News) => void>;
}

/** Starts the work for the first waiter, and shares it with others. After the work has ended, the next waiter restarts it. */
export class Shared<Outcome, News> {
  readonly #work: Work<Outcome, News>;
  #running: Running<Outcome, News> | undefined;

  constructor(work: Work<Outcome, News>) {
    this.#work = work;
  }

  /** Waits for the outcome of the work. Starts the work if it is not running. */
  async wait({ what, signal, onNews }: Wait<News>): Promise<Outcome> {
    if (signal?.aborted) throw reasonOf(signal, what);
    this.#running ??= this.#begin();
    const running = this.#running;
    let leave = (): void => {};
    try {
      return await new Promise<Outcome>((resolve, reject) => {
        const onAbort = (): void => reject(reasonOf(signal as AbortSignal, what));
        const hear = (news: News): void => {
          try {
            onNews?.(news);
          } catch (error) {
            reject(error);
          }
        };
        leave = () => {
          signal?.removeEventListener('abort', onAbort);
          running.waiting.delete(hear);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        running.waiting.add(hear);
        running.outcome.then(resolve, reject);
      });
    } finally {
      leave();
      if (running.waiting.size === 0) this.#end(running);
    }
  }

  #begin(): Running<Outcome, News> {
    const abort = new AbortController();
    const waiting = new Set<(news: News) => void>();
    const tell = (news: News): void => {
      for (const hear of [...waiting]) hear(news);
    };
    return { outcome: this.#work(abort.signal, tell), abort, waiting };
  }

  #end(running: Running<Outcome, News>): void {
    running.abort.abort();
    if (this.#running === running) this.#running = undefined;
  }
}
