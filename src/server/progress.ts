/** Progress of one request: strictly increasing, whatever the handler says. */

import type { Id } from '../jsonrpc/message.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Revision } from '../protocol/revision.ts';

/** Reports progress for the token the request came with; without one, only to who stands in for the client. */
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

  report(progress: number, total?: number, message?: string): void {
    const isTold = this.#token !== undefined || this.#exchange.progress !== undefined;
    if (!isTold || !Number.isFinite(progress) || progress <= this.#last) return;
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
