/** `ConnectionExchange`: the channel between one request and its client, for notifications, input requests and cancellation. */

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
  readonly trusted: boolean;
  readonly forceReruns: boolean;
  readonly session: Session | undefined;
  readonly headers: ReadonlyMap<string, string> | undefined;
  readonly ask: Exchange['ask'];
  openSession(session: Session): void;
  growSession(bytes: number): boolean;
  send(message: Message): void;
  /** True while the client does not read (backpressure). Progress and log messages are then dropped. */
  readonly isCongested: boolean;
  /** Number of the current event loop iteration; undefined if responses after progress need no delay (`progress-gap.ts`). */
  readonly turn: number | undefined;
}

const PROGRESS = 'notifications/progress';

/** Notifications that are dropped while the client does not read, to limit the memory of unsent messages. */
const LOSSY: ReadonlySet<string> = new Set([PROGRESS, 'notifications/message']);

export class ConnectionExchange implements Exchange {
  readonly method: string;
  readonly row: MethodRow | undefined;
  readonly principal: Principal | undefined;
  /** True after `abort` or `discard`: the client cancelled the request or disconnected, or the server is closing. */
  cancelled = false;
  /** True after `discard`: the client cancelled the request or disconnected, so no response is sent. */
  isDiscarded = false;
  /** Promise of a handler that still runs after its request timed out and got an error; otherwise undefined. */
  runningAfterResponse: Promise<unknown> | undefined;
  readonly #connection: ExchangeConnection;
  readonly #sessionAtStart: Session | undefined;
  /** Event loop iteration in which the last progress was sent. `#progressAt` is the time, from `performance.now()`. */
  #progressTurn: number | undefined;
  #progressAt = 0;
  #finished = false;
  #reason: unknown;
  // Listeners are added with `concat` to save memory, because `push` reserves space for 16 more elements.
  #cancelListeners: ((reason: unknown) => void)[] | undefined;
  #endListeners: (() => void)[] | undefined;
  /** Cancels pending input requests when the exchange ends. */
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

  /** True if the client could read the last progress together with a response sent now, and would then drop the progress. */
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
    // After a second `initialize`, the connection could belong to another client, which does not know this request.
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

  /** Aborts the handler's signal. The response is still sent. */
  abort(reason: unknown): void {
    if (this.cancelled || this.#finished) return;
    this.cancelled = true;
    this.#reason = reason;
    for (const listener of this.#cancelListeners ?? []) listener(reason);
    this.#cancelListeners = undefined;
  }

  /** Aborts the handler's signal. Nothing more is sent for the request, not even a response. */
  discard(reason: unknown): void {
    this.isDiscarded = true;
    this.abort(reason);
    this.#end();
  }

  /** Ends the exchange, after the handler has settled or timed out. Later notifications of the handler are dropped. */
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
