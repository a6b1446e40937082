/** Work that several wait for: it begins with the first of them and ends when the last gives up. */

import { reasonOf } from './followed.ts';

/** The work: `tell` tells its news to everybody who waits. */
export type Work<Outcome, News> = (signal: AbortSignal, tell: (news: News) => void) => Promise<Outcome>;

/** How somebody waits. */
export interface Wait<News> {
  /** How errors name what is waited for. */
  readonly what: string;
  /** Ends the waiting of this one only. */
  readonly signal: AbortSignal | undefined;
  /** Hears the news. What it throws ends the waiting of this one only. */
  readonly onNews: ((news: News) => void) | undefined;
}

interface Running<Outcome, News> {
  readonly outcome: Promise<Outcome>;
  readonly abort: AbortController;
  readonly waiting: Set<(news: News) => void>;
}

/** Such work. It can be begun again after everybody gave it up, or after it failed. */
export class Shared<Outcome, News> {
  readonly #work: Work<Outcome, News>;
  #running: Running<Outcome, News> | undefined;

  constructor(work: Work<Outcome, News>) {
    this.#work = work;
  }

  /** The outcome of the work. */
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
