/** The exchange of one request on its line: one that carries many, or an HTTP request of its own. */

import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { Message, Params } from '../../jsonrpc/message.ts';
import type { PendingRequestOptions } from '../../jsonrpc/pending-requests.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import { METHODS, type MethodRow } from '../../protocol/methods.ts';
import type { Principal } from '../../protocol/principal.ts';
import type { Session } from '../../protocol/session.ts';
import { mayShareRead } from './event-loop-turns.ts';

/** What exchanges need of what they travel on. */
export interface ExchangeConnection {
  readonly principal: Principal | undefined;
  readonly caller: string;
  /** The peer owns this process: no scopes are required of it. */
  readonly trusted: boolean;
  readonly forceReruns: boolean;
  readonly session: Session | undefined;
  /** Header fields, where there are some. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** Sends a request of the server's own; absent where the client cannot be asked. */
  readonly ask: Exchange['ask'];
  openSession(session: Session): void;
  growSession(bytes: number): boolean;
  send(message: Message): void;
  /** The peer does not read what is sent. */
  readonly isCongested: boolean;
  /** The turn of the event loop, where messages of one turn may be written together. */
  readonly turn: number | undefined;
}

const PROGRESS = 'notifications/progress';

/** What a peer that does not read can do without. */
const LOSSY: ReadonlySet<string> = new Set([PROGRESS, 'notifications/message']);

/** One request on its way. */
export class ConnectionExchange implements Exchange {
  readonly method: string;
  readonly row: MethodRow | undefined;
  readonly principal: Principal | undefined;
  /** The request was given up, or is to end now. */
  cancelled = false;
  /** Nobody waits for the answer any more. */
  dropped = false;
  /** The handler, if it goes on after the answer. */
  lingering: Promise<unknown> | undefined;
  readonly #line: ExchangeConnection;
  /** The session of the client that sent the request. */
  readonly #begunIn: Session | undefined;
  /** The turn and the time of the last progress. */
  #progressTurn: number | undefined;
  #progressAt = 0;
  #finished = false;
  #reason: unknown;
  // Lists of just their length: what is pushed to, or spread into another, takes room for sixteen more.
  #listeners: ((reason: unknown) => void)[] | undefined;
  #endListeners: (() => void)[] | undefined;
  #questions: AbortController | undefined;

  constructor(line: ExchangeConnection, method: string, row: MethodRow | undefined = METHODS.get(method)) {
    this.#line = line;
    this.#begunIn = line.session;
    this.method = method;
    this.row = row;
    this.principal = line.principal;
  }

  get caller(): string {
    return this.#line.caller;
  }

  get trusted(): boolean {
    return this.#line.trusted;
  }

  get forceReruns(): boolean {
    return this.#line.forceReruns;
  }

  get headers(): ReadonlyMap<string, string> | undefined {
    return this.#line.headers;
  }

  get session(): Session | undefined {
    return this.#line.session;
  }

  openSession(session: Session): void {
    this.#line.openSession(session);
  }

  growSession(bytes: number): boolean {
    return this.#line.growSession(bytes);
  }

  notify(method: string, params: Params): void {
    if (this.#finished || this.cancelled || this.lingering || (this.#line.isCongested && LOSSY.has(method))) return;
    if (method === PROGRESS) this.#noteProgress();
    this.#line.send({ jsonrpc: '2.0', method, params });
  }

  #noteProgress(): void {
    this.#progressTurn = this.#line.turn;
    if (this.#progressTurn !== undefined) this.#progressAt = performance.now();
  }

  /** Progress was sent so lately that the client may read it together with a message that is sent now. */
  get hasFreshProgress(): boolean {
    return this.#progressTurn !== undefined && mayShareRead(this.#progressTurn, this.#progressAt);
  }

  get ask(): Exchange['ask'] {
    return this.#line.ask && ((method, params, options) => this.#ask(method, params, options));
  }

  #ask(method: string, params: Params | undefined, options: PendingRequestOptions): Promise<unknown> {
    // The call a question belongs to is over: nobody would know what it is about.
    if (this.#finished) return Promise.reject(new ConnectionError('closed', 'The request is answered already'));
    // Another client may have taken over the connection, which knows nothing of this call.
    if (this.#begunIn && this.#begunIn !== this.#line.session) {
      return Promise.reject(new ConnectionError('closed', 'The client sent "initialize" again'));
    }
    // A question that nobody waits for any more is taken back when its call ends.
    this.#questions ??= new AbortController();
    const ends = this.#questions.signal;
    const signal = options.signal ? AbortSignal.any([options.signal, ends]) : ends;
    return this.#line.ask?.(method, params, { ...options, signal }) ?? Promise.resolve();
  }

  onCancel(listener: (reason: unknown) => void): void {
    if (this.cancelled) listener(this.#reason);
    else this.#listeners = this.#listeners?.concat(listener) ?? [listener];
  }

  keepRunning(handler: Promise<unknown>): void {
    this.lingering = handler;
  }

  onEnd(listener: () => void): void {
    if (this.#finished || this.dropped) listener();
    else this.#endListeners = this.#endListeners?.concat(listener) ?? [listener];
  }

  /** Ends the work; an answer may still come. */
  abort(reason: unknown): void {
    if (this.cancelled || this.#finished) return;
    this.cancelled = true;
    this.#reason = reason;
    for (const listener of this.#listeners ?? []) listener(reason);
    this.#listeners = undefined;
  }

  /** Ends the work; nothing is sent for it any more. */
  drop(reason: unknown): void {
    this.dropped = true;
    this.abort(reason);
    this.#end();
  }

  /** The answer is there: what the handler still says is not sent. */
  finish(): void {
    this.#finished = true;
    this.#listeners = undefined;
    this.#end();
  }

  #end(): void {
    this.#questions?.abort();
    const listeners = this.#endListeners ?? [];
    this.#endListeners = undefined;
    for (const listener of listeners) listener();
  }
}
