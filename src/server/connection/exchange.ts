/** `ConnectionExchange`: the exchange of one request, over a connection with many requests or over one HTTP request. */

import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { Message, Params } from '../../jsonrpc/message.ts';
import type { PendingRequestOptions } from '../../jsonrpc/pending-requests.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import { METHODS, type MethodRow } from '../../protocol/methods.ts';
import type { Principal } from '../../protocol/principal.ts';
import type { Session } from '../../protocol/session.ts';
import { isWithinProgressGap } from './progress-gap.ts';

/** The connection or HTTP request over which an exchange sends its messages. */
export interface ExchangeConnection {
  readonly principal: Principal | undefined;
  readonly caller: string;
  /** True if the peer is exempt from scope checks, because it owns this process (stdio, in-process). */
  readonly trusted: boolean;
  readonly forceReruns: boolean;
  readonly session: Session | undefined;
  /** Header fields of the HTTP request; undefined on other transports. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** Sends a request to the client. Undefined if the client cannot be reached. */
  readonly ask: Exchange['ask'];
  openSession(session: Session): void;
  growSession(bytes: number): boolean;
  send(message: Message): void;
  /** True while the peer does not read. Progress and log messages are then dropped. */
  readonly isCongested: boolean;
  /**
   * Number of the current iteration of the event loop; undefined if the transport delivers each message separately. It shows
   * whether progress and a result are sent so close together that the client reads them at once and drops the progress.
   */
  readonly turn: number | undefined;
}

const PROGRESS = 'notifications/progress';

/** Notifications that are dropped while the peer does not read, to limit the memory of messages that wait to be sent. */
const LOSSY: ReadonlySet<string> = new Set([PROGRESS, 'notifications/message']);

/** The exchange of one request or notification while it is being handled. */
export class ConnectionExchange implements Exchange {
  readonly method: string;
  readonly row: MethodRow | undefined;
  readonly principal: Principal | undefined;
  /** True after `abort`, because the client cancelled the request or the connection is closing. */
  cancelled = false;
  /** True after `discard`. No response is sent. */
  isDiscarded = false;
  /** The promise of the handler, if it still runs after the response was sent. */
  runningAfterResponse: Promise<unknown> | undefined;
  readonly #connection: ExchangeConnection;
  readonly #sessionAtStart: Session | undefined;
  /** The event loop iteration in which the last progress was sent. `#progressAt` is its time (`performance.now()`). */
  #progressTurn: number | undefined;
  #progressAt = 0;
  #finished = false;
  #reason: unknown;
  // The arrays are extended with `concat`, to save memory: `push` reserves room for 16 more elements.
  #cancelListeners: ((reason: unknown) => void)[] | undefined;
  #endListeners: (() => void)[] | undefined;
  /** Cancels the input requests that are still pending when the request ends. */
  #inputRequests: AbortController | undefined;

  constructor(connection: ExchangeConnection, method: string, row: MethodRow | undefined = METHODS.get(method)) {
    this.#connection = connection;
    this.#sessionAtStart = connection.session;
    this.method = method;
    this.row = row;
    this.principal = connection.principal;
  }

  get caller(): string {
    return this.#connection.caller;
  }

  get trusted(): boolean {
    return this.#connection.trusted;
  }

  get forceReruns(): boolean {
    return this.#connection.forceReruns;
  }

  get headers(): ReadonlyMap<string, string> | undefined {
    return this.#connection.headers;
  }

  get session(): Session | undefined {
    return this.#connection.session;
  }

  openSession(session: Session): void {
    this.#connection.openSession(session);
  }

  growSession(bytes: number): boolean {
    return this.#connection.growSession(bytes);
  }

  notify(method: string, params: Params): void {
    if (
      this.#finished ||
      this.cancelled ||
      this.runningAfterResponse ||
      (this.#connection.isCongested && LOSSY.has(method))
    )
      return;
    if (method === PROGRESS) {
      this.#progressTurn = this.#connection.turn;
      if (this.#progressTurn !== undefined) this.#progressAt = performance.now();
    }
    this.#connection.send({ jsonrpc: '2.0', method, params });
  }

  /** True if progress was sent so recently that the client may read it together with a response that is sent now. */
  get hasFreshProgress(): boolean {
    return this.#progressTurn !== undefined && isWithinProgressGap(this.#progressTurn, this.#progressAt);
  }

  get ask(): Exchange['ask'] {
    return this.#connection.ask && ((method, params, options) => this.#ask(method, params, options));
  }

  #ask(method: string, params: Params | undefined, options: PendingRequestOptions): Promise<unknown> {
    if (this.#finished)
      return Promise.reject(
        new ConnectionError('closed', 'The request was answered before this input request was sent'),
      );
    // After a second `initialize` the input request is not sent: the client may be another one, which does not know the request.
    if (this.#sessionAtStart && this.#sessionAtStart !== this.#connection.session) {
      return Promise.reject(new ConnectionError('closed', 'The client sent "initialize" again'));
    }
    this.#inputRequests ??= new AbortController();
    const { signal: ended } = this.#inputRequests;
    const signal = options.signal ? AbortSignal.any([options.signal, ended]) : ended;
    return this.#connection.ask?.(method, params, { ...options, signal }) ?? Promise.resolve();
  }

  onCancel(listener: (reason: unknown) => void): void {
    if (this.cancelled) listener(this.#reason);
    else this.#cancelListeners = this.#cancelListeners?.concat(listener) ?? [listener];
  }

  keepRunning(handler: Promise<unknown>): void {
    this.runningAfterResponse = handler;
  }

  onEnd(listener: () => void): void {
    if (this.#finished || this.isDiscarded) listener();
    else this.#endListeners = this.#endListeners?.concat(listener) ?? [listener];
  }

  /** Aborts the handler's signal. The response to the request is still sent. */
  abort(reason: unknown): void {
    if (this.cancelled || this.#finished) return;
    this.cancelled = true;
    this.#reason = reason;
    for (const listener of this.#cancelListeners ?? []) listener(reason);
    this.#cancelListeners = undefined;
  }

  /** Aborts the handler's signal. Nothing more is sent for the request. */
  discard(reason: unknown): void {
    this.isDiscarded = true;
    this.abort(reason);
    this.#end();
  }

  /** Ends the exchange. Notifications of a handler that still runs are no longer sent. */
  finish(): void {
    this.#finished = true;
    this.#cancelListeners = undefined;
    this.#end();
  }

  #end(): void {
    this.#inputRequests?.abort();
    const listeners = this.#endListeners ?? [];
    this.#endListeners = undefined;
    for (const listener of listeners) listener();
  }
}
