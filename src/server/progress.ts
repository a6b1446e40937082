/** `Progress`: implements `ctx.reportProgress`. */

import type { Id } from '../jsonrpc/message.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Revision } from '../protocol/revision.ts';

/** Sends `notifications/progress` if the request has a `progressToken`. In a task, the task gets the progress instead. */
export class Progress {
  readonly #token: Id | undefined;
  readonly #exchange: Exchange;
  readonly #revision: Revision;
  #last = Number.NEGATIVE_INFINITY;

  constructor(token: unknown, exchange: Exchange, revision: Revision) {
    this.#token = typeof token === 'string' || Number.isSafeInteger(token) ? (token as Id) : undefined;
    this.#exchange = exchange;
    this.#revision = revision;
  }

  /** Reports progress, or drops it if it does not increase, because the specification requires increasing values. */
  report(progress: number, total?: number, message?: string): void {
    if (!Number.isFinite(progress) || progress <= this.#last) return;
    this.#last = progress;
    this.#exchange.progress?.(progress, total, message);
    if (this.#token === undefined) return;
    const params = {
      progressToken: this.#token,
      progress,
      ...(total !== undefined && Number.isFinite(total) ? { total } : {}),
      ...(message === undefined ? {} : { message }),
    };
    this.#exchange.notify('notifications/progress', this.#revision.encodeProgress(params));
  }
}
