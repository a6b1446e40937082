/** Serves a server over a connection: one exchange per request, both kinds of revision on the same line. */

import { errorResponse } from '../jsonrpc/error-response.ts';
import { ConnectionError, type ParseError, RpcError } from '../jsonrpc/errors.ts';
import {
  type ErrorResponse,
  type Id,
  isBatch,
  isErrorResponse,
  isObject,
  isRequest,
  isResponse,
  type Message,
  type Notification,
  type Request,
  type Response,
} from '../jsonrpc/message.ts';
import { OutgoingRequests } from '../jsonrpc/outgoing.ts';
import { type Batch, isUnreadable, type Payload } from '../jsonrpc/parse.ts';
import { printable } from '../jsonrpc/printable.ts';
import type { Receiver, Transport } from '../jsonrpc/transport.ts';
import type { RevisionFacts } from '../protocol/facts.ts';
import { METHODS, staysOpen } from '../protocol/methods.ts';
import { revisionNamed } from '../protocol/pick.ts';
import { type Principal, principalKey } from '../protocol/principal.ts';
import type { Session } from '../protocol/session.ts';
import { answer, notice } from './answer.ts';
import { answerBatch, batchRefusal, unlessDropped } from './batch.ts';
import { ConnectionExchange, type Line } from './connection-exchange.ts';
import { belongsToSession, Held } from './held.ts';
import { InFlight } from './in-flight.ts';
import { ConnectionUsage } from './limits/connection-usage.ts';
import { KEEPS_TOO_MUCH } from './limits/usage.ts';
import type { LineOptions } from './line-options.ts';
import { chain, isPromise, type Maybe } from './maybe.ts';
import { scopeRefusal } from './scope-checks.ts';
import type { Served, ServerParts } from './served.ts';
import type { ServedLine } from './serving.ts';
import { currentTurn, untilApart } from './turns.ts';
import { Unread } from './unread.ts';

/** Time an aborted handler has to answer before the connection is closed, in milliseconds. */
const ABORT_MS = 100;
/** Errors of the client's that belong to no request, and are reported nevertheless. */
const MAX_ERRORS_TOLD = 10;

/** One connection being served. */
export class ServedConnection implements Receiver, ServedLine, Line {
  readonly closed: Promise<void>;
  principal: Principal | undefined;
  readonly caller: string;
  readonly forceReruns: boolean;
  readonly headers = undefined;
  readonly ask: Line['ask'];
  readonly #outgoing: OutgoingRequests;
  session: Session | undefined;
  /** What there is to know of the session's revision. */
  #facts: RevisionFacts | undefined;
  readonly #server: Served;
  readonly #own: ServerParts;
  readonly #transport: Transport;
  readonly #inFlight = new InFlight();
  /** What waits for the session. */
  readonly #forSession = new Held(
    (payload) => !this.#isFull && this.#over === undefined && belongsToSession(payload),
    (bytes) => this.growSession(bytes),
  );
  readonly #unread = new Unread((error) => this.onError(error));
  readonly #usage: ConnectionUsage;
  #unwatch: (() => void) | undefined;
  #closing = false;
  /** Why no requests are taken any more. */
  #over: string | undefined;
  #ended = false;
  #errorsTold = 0;
  #tellClosed: () => void = () => {};

  constructor(server: Served, transport: Transport, options: LineOptions) {
    const { principal, forceReruns } = options;
    this.#server = server;
    this.#own = server['~parts'];
    this.caller = options.caller ?? principalKey(principal);
    this.#usage = new ConnectionUsage(this.#own.usage, this.caller, options.running);
    this.#transport = transport;
    this.principal = principal;
    this.forceReruns = forceReruns;
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
    this.ask = (method, params, options) => this.#outgoing.request(method, params, options);
    this.#outgoing = new OutgoingRequests({
      send: (request) => this.#transport.send(request),
      cancel: (requestId, _method, reason) =>
        this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }),
    });
  }

  openSession(session: Session): void {
    // A second `initialize` replaces the session: bridges share one program among clients that come and go.
    if (this.session) this.#outgoing.failAll(new ConnectionError('closed', 'The client sent "initialize" again'));
    this.#unwatch?.();
    this.session = session;
    const revision = revisionNamed(session.version);
    this.#facts = revision.facts;
    // A handshake that took long can be through after the client is gone.
    if (this.#over !== undefined || this.#ended) return;
    const viewer = { principal: this.principal, capabilities: session.capabilities };
    this.#unwatch = this.#own.host.watch(
      (change) => {
        const notification = revision.deliver(change, session);
        if (notification && !(change.type === 'log' && this.isCongested)) this.send(notification);
      },
      viewer,
      () => session.subscriptions,
    );
  }

  growSession(bytes: number): boolean {
    return this.#usage.grow(bytes);
  }

  get turn(): number | undefined {
    return this.#transport.deliversSeparately ? undefined : currentTurn();
  }

  get #isFull(): boolean {
    return this.#inFlight.running + this.#forSession.size >= this.#own.limits.inFlight;
  }

  get isCongested(): boolean {
    return this.#unread.isAny;
  }

  onMessage(payload: Payload): void {
    if (this.#ended || this.#forSession.takes(payload)) return;
    this.#handle(payload);
  }

  #handle(payload: Payload): void {
    if (isBatch(payload)) this.#takeBatch(payload as Batch);
    else if (isUnreadable(payload)) {
      const refusal = this.#answerToUnreadable(payload);
      if (refusal) this.send(refusal);
    } else this.#take(payload as Message);
  }

  onError(error: Error): void {
    this.#own.report(error, { method: 'transport' });
  }

  onClose(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unwatch?.();
    this.#outgoing.close();
    this.#inFlight.dropAll(new ConnectionError('closed', 'The client is gone'));
    this.#usage.close();
    this.#tellClosed();
  }

  async close({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      const reason = this.#takeNoMore('The server is closing');
      await this.#inFlight.idle(graceMs);
      this.#letIn(this.#over); // Too late to begin.
      this.#inFlight.abort(reason);
      this.#outgoing.close();
      await this.#inFlight.idle(ABORT_MS);
      try {
        await this.#transport.disconnect();
      } finally {
        // Not every transport tells an end that it was asked for.
        this.onClose();
      }
    }
    await this.closed;
  }

  async retire(reason: string): Promise<void> {
    this.#takeNoMore(reason);
    await this.#inFlight.idle(Number.POSITIVE_INFINITY);
    await this.close();
  }

  #takeNoMore(why: string): ConnectionError {
    const reason = new ConnectionError('closed', why);
    this.#over ??= why;
    this.#unwatch?.();
    // Those who listen wait for nothing but this.
    this.#inFlight.abort(reason, ({ method }) => staysOpen(method));
    return reason;
  }

  /** Sends, and reports what cannot be sent: whoever notified has nobody to tell. */
  send(message: Message | readonly Message[]): void {
    this.#deliver(message, (error) => this.onError(error as Error));
  }

  #deliver(message: Message | readonly Message[], onUnsent: (cause: unknown) => void): void {
    try {
      const sent = this.#transport.send(message);
      if (isPromise(sent)) this.#unread.watch(sent);
    } catch (cause) {
      if (this.#transport.connected) onUnsent(cause);
    }
  }

  #take(message: Message): void {
    if (isRequest(message)) {
      const response = this.#answer(message);
      if (isPromise(response)) this.#respondLater(message, response);
      else this.#respond(message, response);
    } else if (isResponse(message)) this.#takeResponse(message);
    else this.#takeNotification(message);
  }

  #answer(request: Request): Maybe<Response | undefined> {
    const refusal = this.#refusalOf(request);
    if (refusal) return refusal;
    const exchange = new ConnectionExchange(this, request.method);
    this.#inFlight.begin(request.id, exchange);
    const response = answer(this.#server, request, exchange);
    if (!isPromise(response)) return this.#finish(request, exchange, response);
    const kept = this.#usage.begin(request.params);
    return response.then((late) => {
      kept.release(exchange.lingering);
      return this.#finish(request, exchange, late);
    });
  }

  // The last progress and the result must not be written together: clients would drop the progress.
  #finish(request: Request, exchange: ConnectionExchange, response: Response): Maybe<Response | undefined> {
    if (!exchange.hasFreshProgress) return this.#end(request, exchange, response);
    return untilApart().then(() => this.#end(request, exchange, response));
  }

  #end(request: Request, exchange: ConnectionExchange, response: Response): Response | undefined {
    this.#inFlight.end(request.id, exchange);
    return exchange.dropped ? undefined : response;
  }

  #refusalOf(request: Request): ErrorResponse | undefined {
    const { id } = request;
    // An error under this id would end the call that is running under it.
    if (this.#inFlight.get(id))
      return this.#unreadable(RpcError.invalidRequest('A request with this id is running already'));
    if (this.#over !== undefined) return errorResponse(RpcError.internal(this.#over), id);
    if (this.#isFull) {
      return errorResponse(RpcError.internal('Too many requests are running on this connection'), id);
    }
    if (!this.#usage.hasRoom) return errorResponse(RpcError.internal(KEEPS_TOO_MUCH), id);
    const lacking = scopeRefusal(this.#own, request, this);
    return lacking && errorResponse(lacking.error, id);
  }

  #respondLater(request: Request, response: Promise<Response | undefined>): void {
    const opens = request.method === 'initialize' && this.#forSession.begin();
    void response.then((late) => this.#respond(request, late, opens));
  }

  #respond(request: Request, response: Response | undefined, opens = false): void {
    if (response) this.#sendResponse(request, response);
    if (opens) this.#letIn();
    if (!this.#forSession.isBusy) this.#inFlight.checkIdle();
  }

  // What waited for the session is not new although the server may close by now, unless it is `over` for that, too. If the
  // client is gone it need not begin.
  #letIn(over?: string): void {
    const why = this.#over;
    this.#over = over;
    for (let payload = this.#forSession.next(); payload; payload = this.#forSession.next()) {
      if (!this.#ended) this.#handle(payload);
    }
    this.#over ??= why;
  }

  #sendResponse(request: Request, response: Response): void {
    this.#deliver(response, (cause) => this.send(this.#unencodable(request, cause)));
    // One line carries everything here, so the end of a subscription is told twice: to the call, and by its id.
    if (staysOpen(request.method) && !isErrorResponse(response)) {
      this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: request.id } });
    }
  }

  // What a handler gave cannot be written as JSON; the request still gets its answer.
  #unencodable({ id, method, params }: Request, cause: unknown): ErrorResponse {
    this.#own.report(cause, { method, name: (params as { readonly name?: string } | undefined)?.name });
    return errorResponse(RpcError.internal('The result could not be encoded'), id);
  }

  #takeResponse(response: Response): void {
    if (this.#outgoing.settle(response)) return;
    if (!isErrorResponse(response) || response.id != null || this.#errorsTold++ >= MAX_ERRORS_TOLD) return;
    this.#own.report(RpcError.from(response.error), { method: 'response' });
  }

  #takeNotification(notification: Notification): void {
    const { method } = notification;
    if (method === 'notifications/cancelled') {
      this.#cancel(notification);
      return;
    }
    // A request without an id is for nobody, and a flood is not taken on.
    const isFull = this.#inFlight.notifications >= this.#own.limits.inFlight || !this.#usage.hasRoom;
    if (METHODS.get(method)?.kind === 'request' || isFull) return;
    const exchange = new ConnectionExchange(this, method);
    this.#inFlight.beginNotification(exchange);
    const taken = notice(this.#server, notification, exchange);
    const kept = isPromise(taken) ? this.#usage.begin(notification.params) : undefined;
    void chain(taken, () => {
      this.#inFlight.endNotification(exchange);
      kept?.release();
    });
  }

  #cancel({ params }: Notification): void {
    const { requestId, reason } = isObject(params) ? params : {};
    const exchange = this.#inFlight.get(requestId as Id);
    if (!exchange || exchange.method === 'initialize') return;
    const text = typeof reason === 'string' ? printable(reason) : 'Cancelled by the client';
    this.#inFlight.cancel(requestId as Id, new ConnectionError('aborted', text));
  }

  #takeBatch(batch: Batch): void {
    const refusal = batchRefusal(batch, this.#facts);
    if (refusal) this.send(this.#unreadable(refusal));
    else if (this.#facts?.batches === 'accepted') for (const one of batch) this.onMessage(one);
    else {
      const answered = answerBatch(batch, {
        answer: (request) => unlessDropped(this.#answer(request), this.#inFlight.get(request.id)),
        take: (message) => this.#take(message),
        refuse: (fault) => this.#answerToUnreadable(fault),
        unencodable: ({ id }, cause) => this.#unencodable({ jsonrpc: '2.0', id: id as Id, method: 'batch' }, cause),
      });
      void answered.then((responses) => {
        if (responses.length > 0) this.send(responses);
        this.#inFlight.checkIdle();
      });
    }
  }

  #answerToUnreadable(fault: ParseError): ErrorResponse | undefined {
    const { id, isResponse, isNotification } = fault;
    if (isNotification) return undefined;
    if (!isResponse) {
      // An error under the id of a running call would end that.
      return this.#unreadable(fault, id !== undefined && this.#inFlight.get(id) ? undefined : id);
    }
    // Answering an answer could go on for ever; but whoever waits for it can be told.
    if (id !== undefined) this.#outgoing.fail(id, new ConnectionError('malformed', fault.message));
    return undefined;
  }

  #unreadable(fault: RpcError | ParseError, id?: Id): ErrorResponse {
    return errorResponse(fault, id ?? (this.#facts?.unreadableId === 'null' ? null : undefined));
  }
}
