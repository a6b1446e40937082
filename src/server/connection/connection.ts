/** One served connection: one exchange per request, stateful and stateless revisions side by side. */

import { errorResponse } from '../../jsonrpc/error-response.ts';
import { ConnectionError, type ParseError, RpcError } from '../../jsonrpc/errors.ts';
import { type Batch, isUnreadable, messageObjectOf, type Payload } from '../../jsonrpc/json/parse.ts';
import { isPromise, type MaybePromise, thenMaybe } from '../../jsonrpc/maybe-promise.ts';
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
} from '../../jsonrpc/message.ts';
import { PendingRequests } from '../../jsonrpc/pending-requests.ts';
import { printable } from '../../jsonrpc/printable.ts';
import type { Receiver, Transport } from '../../jsonrpc/transport.ts';
import { METHODS, type MethodRow } from '../../protocol/methods.ts';
import { checkPrincipal, type Principal, principalKey } from '../../protocol/principal.ts';
import type { RevisionFeatures } from '../../protocol/revisions.ts';
import { requestedVersion, revisionNamed } from '../../protocol/select-revision.ts';
import type { Session } from '../../protocol/session.ts';
import { handleNotification, handleRequest } from '../handle-request.ts';
import type { ServerInternals } from '../internals.ts';
import { ABORT_GRACE_MS, MAX_REPORTED_ERRORS } from '../limits/limits.ts';
import { ConnectionUsage, KEEPS_TOO_MUCH } from '../limits/usage.ts';
import { batchRefusal, handleBatch, unlessDiscarded } from './batch.ts';
import { currentTurn, untilSeparateRead } from './event-loop-turns.ts';
import { ConnectionExchange, type ExchangeConnection } from './exchange.ts';
import { InFlight } from './in-flight.ts';
import { PreHandshakeQueue } from './pre-handshake-queue.ts';
import type { ConnectionOptions, TransportConnection } from './served-connection.ts';
import { SlowPeer } from './slow-peer.ts';

/** One connection being served. */
class ServedConnection implements Receiver, TransportConnection, ExchangeConnection {
  readonly closed: Promise<void>;
  principal: Principal | undefined;
  readonly caller: string;
  readonly trusted: boolean;
  readonly forceReruns: boolean;
  readonly headers = undefined;
  readonly ask: ExchangeConnection['ask'];
  readonly #outgoing: PendingRequests;
  session: Session | undefined;
  /** What there is to know of the session's revision. */
  #facts: RevisionFeatures | undefined;
  readonly #server: ServerInternals;
  readonly #transport: Transport;
  readonly #inFlight = new InFlight();
  readonly #queue = new PreHandshakeQueue((bytes) => this.growSession(bytes));
  readonly #unread = new SlowPeer((error) => this.onError(error));
  readonly #usage: ConnectionUsage;
  #unwatch: (() => void) | undefined;
  #closing = false;
  /** Why no requests are taken any more. */
  #over: string | undefined;
  #ended = false;
  #errorsTold = 0;
  #tellClosed: () => void = () => {};

  constructor(server: ServerInternals, transport: Transport, options: ConnectionOptions) {
    const { principal, trusted = false, forceReruns = false } = options;
    this.#server = server;
    this.caller = options.caller ?? principalKey(principal);
    this.#usage = new ConnectionUsage(this.#server.usage, this.caller, options.running);
    this.#transport = transport;
    this.principal = principal;
    this.trusted = trusted;
    this.forceReruns = forceReruns;
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
    this.ask = (method, params, options) => this.#outgoing.request(method, params, options);
    this.#outgoing = new PendingRequests({
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
    this.#facts = revision.features;
    // A handshake that took long can be through after the client is gone.
    if (this.#over !== undefined || this.#ended) return;
    const observer = { principal: this.principal, capabilities: session.capabilities, trusted: this.trusted };
    this.#unwatch = this.#server.host.watch(
      (change) => {
        const notification = revision.notificationOf(change, session);
        if (notification && !(change.type === 'log' && this.isCongested)) this.send(notification);
      },
      observer,
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
    return this.#inFlight.running + this.#queue.size >= this.#server.limits.inFlight;
  }

  get isCongested(): boolean {
    return this.#unread.isAny;
  }

  onMessage(payload: Payload): void {
    if (this.#ended) return;
    // Read once: it decides about the queue, and then about the revision.
    const claim = requestedVersion(messageObjectOf(payload)?.params);
    if (this.#queue.isActive && this.#queue.takes(payload, claim, !this.#isFull && this.#over === undefined)) return;
    this.#handle(payload, claim);
  }

  // Queued messages and messages of batches have no claim.
  #handle(payload: Payload, claim?: unknown): void {
    if (isBatch(payload)) this.#takeBatch(payload as Batch);
    else if (isUnreadable(payload)) {
      const refusal = this.#answerToUnreadable(payload);
      if (refusal) this.send(refusal);
    } else this.#take(payload as Message, claim);
  }

  onError(error: Error): void {
    this.#server.report(error, { method: 'transport' });
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
      this.#emptyQueue(this.#over);
      this.#inFlight.abort(reason);
      this.#outgoing.close();
      await this.#inFlight.idle(ABORT_GRACE_MS);
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
    this.#inFlight.abort(reason, ({ row }) => row?.isLongLived === true);
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

  #take(message: Message, claim?: unknown): void {
    if (isRequest(message)) {
      const row = METHODS.get(message.method);
      const response = this.#answer(message, row, claim);
      if (isPromise(response)) this.#respondLater(message, row, response);
      else this.#respond(message, row, response);
    } else if (isResponse(message)) this.#takeResponse(message);
    else this.#takeNotification(message, claim);
  }

  #answer(request: Request, row: MethodRow | undefined, claim?: unknown): MaybePromise<Response | undefined> {
    const refusal = this.#refusalOf(request);
    if (refusal) return refusal;
    const exchange = new ConnectionExchange(this, request.method, row);
    this.#inFlight.begin(request.id, exchange);
    const response = handleRequest(this.#server, request, exchange, claim);
    if (!isPromise(response)) return this.#finish(request, exchange, response);
    const kept = this.#usage.begin(request.params);
    return response.then((late) => {
      kept.release(exchange.lingering);
      return this.#finish(request, exchange, late);
    });
  }

  // The last progress and the result must not be written together: clients would drop the progress.
  #finish(request: Request, exchange: ConnectionExchange, response: Response): MaybePromise<Response | undefined> {
    if (!exchange.hasFreshProgress) return this.#end(request, exchange, response);
    return untilSeparateRead().then(() => this.#end(request, exchange, response));
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
    return this.#usage.hasRoom ? undefined : errorResponse(RpcError.internal(KEEPS_TOO_MUCH), id);
  }

  #respondLater(request: Request, row: MethodRow | undefined, response: Promise<Response | undefined>): void {
    const opens = request.method === 'initialize' && this.#queue.begin();
    void response.then((late) => this.#respond(request, row, late, opens));
  }

  #respond(request: Request, row: MethodRow | undefined, response: Response | undefined, opens = false): void {
    if (response) this.#sendResponse(request, row, response);
    if (opens) this.#emptyQueue();
    if (!this.#queue.isActive) this.#inFlight.checkIdle();
  }

  // Queued messages arrived before the server began to close, so they are handled; with `over`, they are refused with it.
  #emptyQueue(over?: string): void {
    const why = this.#over;
    this.#over = over;
    for (let payload = this.#queue.next(); payload; payload = this.#queue.next()) {
      if (!this.#ended) this.#handle(payload);
    }
    this.#over ??= why;
  }

  #sendResponse(request: Request, row: MethodRow | undefined, response: Response): void {
    this.#deliver(response, (cause) => this.send(this.#unencodable(request, cause)));
    // One line carries everything here, so the end of a subscription is told twice: to the call, and by its id.
    if (row?.isLongLived && !isErrorResponse(response)) {
      this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: request.id } });
    }
  }

  // What a handler gave cannot be written as JSON; the request still gets its answer.
  #unencodable({ id, method, params }: Request, cause: unknown): ErrorResponse {
    this.#server.report(cause, { method, name: (params as { readonly name?: string } | undefined)?.name });
    return errorResponse(RpcError.internal('The result could not be encoded'), id);
  }

  #takeResponse(response: Response): void {
    if (this.#outgoing.settle(response)) return;
    if (!isErrorResponse(response) || response.id != null || this.#errorsTold++ >= MAX_REPORTED_ERRORS) return;
    this.#server.report(RpcError.from(response.error), { method: 'response' });
  }

  #takeNotification(notification: Notification, claim: unknown): void {
    const { method } = notification;
    const row = METHODS.get(method);
    if (method === 'notifications/cancelled') {
      this.#cancel(notification);
      return;
    }
    // A request without an id is for nobody, and a flood is not taken on.
    const isFull = this.#inFlight.notifications >= this.#server.limits.inFlight || !this.#usage.hasRoom;
    if (row?.kind === 'request' || isFull) return;
    const exchange = new ConnectionExchange(this, method, row);
    this.#inFlight.beginNotification(exchange);
    const taken = handleNotification(this.#server, notification, exchange, claim);
    const kept = isPromise(taken) ? this.#usage.begin(notification.params) : undefined;
    void thenMaybe(taken, () => {
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
    else if (this.#facts?.batches === 'accepted') for (const one of batch) this.#handle(one);
    else {
      const answered = handleBatch(batch, {
        answer: (request) =>
          unlessDiscarded(this.#answer(request, METHODS.get(request.method)), this.#inFlight.get(request.id)),
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
    return errorResponse(fault, id ?? (this.#facts?.parseErrorId === 'null' ? null : undefined));
  }
}

/** Serves a connection. The promise resolves when the transport is connected. */
export async function serveConnection(
  server: ServerInternals,
  transport: Transport,
  options: ConnectionOptions,
): Promise<TransportConnection> {
  if (options.principal) checkPrincipal(options.principal, 'serve');
  const connection = new ServedConnection(server, transport, options);
  await transport.connect(connection);
  return connection;
}
