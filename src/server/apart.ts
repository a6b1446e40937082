/** The exchange of a call that is answered already: somebody stands in for its client. */

import type { Params } from '../jsonrpc/message.ts';
import type { OutgoingOptions } from '../jsonrpc/outgoing.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Question } from '../protocol/model/questions.ts';
import type { Principal } from '../protocol/principal.ts';
import type { Session } from '../protocol/session.ts';
import { onAbort } from '../timing/abort-signals.ts';
import type { Desk } from './extension.ts';
import type { KeptBytes } from './limits/usage.ts';

/** Goes on after the request; keeps nothing of the connection that brought it. */
export class ApartExchange implements Exchange {
  readonly isApart = true;
  readonly forceReruns = false;
  readonly session: Session | undefined;
  readonly principal: Principal | undefined;
  readonly caller: string;
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** The memory of the call, until its handler has ended. */
  readonly kept: KeptBytes;
  readonly #desk: Desk;
  readonly #end = new AbortController();

  constructor(request: Exchange, desk: Desk, kept: KeptBytes) {
    this.session = request.session;
    this.principal = request.principal;
    this.caller = request.caller;
    this.headers = request.headers;
    this.kept = kept;
    this.#desk = desk;
    const { signal } = desk;
    if (signal.aborted) this.#end.abort(signal.reason);
    else signal.addEventListener('abort', () => this.#end.abort(signal.reason), { once: true });
    // Whoever gives the request up before its answer has left will never know who has the call.
    request.onCancel((reason) => this.#end.abort(reason));
  }

  get cancelled(): boolean {
    return this.#end.signal.aborted;
  }

  openSession(): void {
    throw new Error('A call that is answered already opens no session');
  }

  growSession(): boolean {
    throw new Error('A call that is answered already changes no session');
  }

  /** What belongs to a request cannot be said any more when that is answered. */
  notify(): void {}

  /** Also where nobody took the question: it ends with the call. */
  ask(method: string, params: Params | undefined, options: OutgoingOptions): Promise<unknown> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const question = { method: method as Question['method'], ...(params ? { params } : {}) };
    return new Promise((resolve, reject) => {
      const stopHearing = signal && onAbort(signal, () => reject(signal.reason));
      this.#desk
        .ask(question)
        .then(resolve, reject)
        .finally(() => stopHearing?.());
    });
  }

  progress(progress: number, total?: number, message?: string): void {
    this.#desk.progress(progress, total, message);
  }

  onCancel(listener: (reason: unknown) => void): void {
    const { signal } = this.#end;
    if (signal.aborted) listener(signal.reason);
    else onAbort(signal, () => listener(signal.reason));
  }

  /** It is over when its handler is. */
  outlivedBy(): void {}

  onEnd(listener: () => void): void {
    this.onCancel(listener);
  }
}
