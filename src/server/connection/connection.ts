/** `serveConnection`: serves one connection, which can carry requests of stateful and of stateless revisions. */

import { ConnectionError, errorResponse, type ParseError, RpcError } from '../../jsonrpc/errors.ts';
import { type Batch, isUnreadable, messageObjectOf, type Payload } from '../../jsonrpc/json/parse-message.ts';
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
import { requestedVersion, revisionNamed } from '../../protocol/revision-of-message.ts';
import type { RevisionFeatures } from '../../protocol/revisions.ts';
import type { Session } from '../../protocol/session.ts';
import { handleNotification, handleRequest } from '../handle-request.ts';
import type { ServerInternals } from '../internals.ts';
import { ABORT_GRACE_MS, MAX_REPORTED_ERRORS } from '../limits/default-limits.ts';
import { ConnectionUsage, KEPT_BYTES_EXCEEDED } from '../limits/usage.ts';
import { batchRefusal, handleBatch, unlessDiscarded } from './batch.ts';
import type { ConnectionOptions, TransportConnection } from './connection-options.ts';
import { ConnectionExchange, type ExchangeConnection } from './exchange.ts';
import { InFlight } from './in-flight.ts';
import { PreHandshakeQueue } from './pre-handshake-queue.ts';
import { currentTurn, waitProgressGap } from './progress-gap.ts';
import { SlowPeer } from './slow-peer.ts';

class Connection implements Receiver, TransportConnection, ExchangeConnection {
  readonly closed: Promise<void>;
  principal: Principal | undefined;
  readonly caller: string;
  readonly trusted: boolean;
  readonly forceReruns: boolean;
  readonly headers = undefined;
  readonly ask: ExchangeConnection['ask'];
  readonly #outgoing: PendingRequests;
  session: Session | undefined;
  /** Features of the session's revision; undefined before `initialize`. */
  #features: RevisionFeatures | undefined;
  readonly #server: ServerInternals;
  readonly #transport: Transport;
  readonly #inFlight = new InFlight();
  readonly #queue = new PreHandshakeQueue((bytes) => this.growSession(bytes));
  readonly #slowPeer = new SlowPeer((error) => this.onError(error));
  readonly #usage: ConnectionUsage;
  #unwatch: (() => void) | undefined;
  #closing = false;
  /** Message of the error that new requests get; undefined while new requests are accepted. */
  #refusalReason: string | undefined;
  #ended = false;
  #reportedErrors = 0;
  #resolveClosed: () => void = () => {};

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
      this.#resolveClosed = resolve;
    });
    this.ask = (method, params, options) => this.#outgoing.request(method, params, options);
    this.#outgoing = new PendingRequests({
      send: (request) => this.#transport.send(request),
      cancel: (requestId, _method, reason) =>
        this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }),
    });
  }

  openSession(session: Session): void {
    // A second `initialize` replaces the session, because a bridge can connect one client after the other to the same process.
    if (this.session) this.#outgoing.failAll(new ConnectionError('closed', 'The client sent "initialize" again'));
    this.#unwatch?.();
    this.session = session;
    const revision = revisionNamed(session.version);
    this.#features = revision.features;
    // A connection that was closed while `initialize` was being handled gets no change notifications.
    if (this.#refusalReason !== undefined || this.#ended) return;
    const observer = { principal: this.principal, capabilities: session.capabilities, trusted: this.trusted };
    this.#unwatch = this.#server.serverInfo.watch(
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
    return this.#slowPeer.isSlow;
  }

  onMessage(payload: Payload): void {
    if (this.#ended) return;
    // The protocol version in `_meta`, read only once per message to save time.
    const claim = requestedVersion(messageObjectOf(payload)?.params);
    if (this.#queue.isActive && this.#queue.takes(payload, claim, !this.#isFull && this.#refusalReason === undefined))
      return;
    this.#handle(payload, claim);
  }

  // `claim` is the protocol version in `_meta`. Queued messages and messages of batches never have one.
  #handle(payload: Payload, claim?: unknown): void {
    if (isBatch(payload)) this.#receiveBatch(payload as Batch);
    else if (isUnreadable(payload)) {
      const refusal = this.#refuseUnparsed(payload);
      if (refusal) this.send(refusal);
    } else this.#receive(payload as Message, claim);
  }

  onError(error: Error): void {
    this.#server.report(error, { method: 'transport' });
  }

  onClose(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unwatch?.();
    this.#outgoing.close();
    this.#inFlight.discardAll(new ConnectionError('closed', 'The client has disconnected'));
    this.#usage.close();
    this.#resolveClosed();
  }

  async close({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      const reason = this.#refuseNewRequests('The server is closing');
      await this.#inFlight.idle(graceMs);
      this.#drainQueue(this.#refusalReason);
      this.#inFlight.abort(reason);
      this.#outgoing.close();
      await this.#inFlight.idle(ABORT_GRACE_MS);
      try {
        await this.#transport.disconnect();
      } finally {
        // Some transports do not call `onClose` after `disconnect`.
        this.onClose();
      }
    }
    await this.closed;
  }

  async retire(reason: string): Promise<void> {
    this.#refuseNewRequests(reason);
    await this.#inFlight.idle(Number.POSITIVE_INFINITY);
    await this.close();
  }

  #refuseNewRequests(message: string): ConnectionError {
    const reason = new ConnectionError('closed', message);
    this.#refusalReason ??= message;
    this.#unwatch?.();
    // `subscriptions/listen` requests are aborted, because they do not end by themselves.
    this.#inFlight.abort(reason, ({ row }) => row?.isLongLived === true);
    return reason;
  }

  /** Sends a message. If encoding it as JSON fails, `onError` gets the error. */
  send(message: Message | readonly Message[]): void {
    this.#deliver(message, (error) => this.onError(error as Error));
  }

  #deliver(message: Message | readonly Message[], onUnsent: (cause: unknown) => void): void {
    try {
      const sent = this.#transport.send(message);
      if (isPromise(sent)) this.#slowPeer.watch(sent);
    } catch (cause) {
      if (this.#transport.connected) onUnsent(cause);
    }
  }

  #receive(message: Message, claim?: unknown): void {
    if (isRequest(message)) {
      const row = METHODS.get(message.method);
      const response = this.#handleRequest(message, row, claim);
      if (!isPromise(response)) this.#respond(message, row, response);
      else {
        const opensSession = message.method === 'initialize' && this.#queue.begin();
        void response.then((late) => this.#respond(message, row, late, opensSession));
      }
    } else if (isResponse(message)) this.#receiveResponse(message);
    else if (message.method === 'notifications/cancelled') this.#cancel(message);
    else this.#receiveNotification(message, claim);
  }

  #handleRequest(request: Request, row: MethodRow | undefined, claim?: unknown): MaybePromise<Response | undefined> {
    const refusal = this.#refusalOf(request);
    if (refusal) return refusal;
    const exchange = new ConnectionExchange(this, request.method, row);
    this.#inFlight.begin(request.id, exchange);
    const response = handleRequest(this.#server, request, exchange, claim);
    if (!isPromise(response)) return this.#finish(request, exchange, response);
    const kept = this.#usage.begin(request.params);
    return response.then((late) => {
      kept.release(exchange.runningAfterResponse);
      return this.#finish(request, exchange, late);
    });
  }

  // Delays a response that follows progress so closely that the client would drop the progress (see `progress-gap.ts`).
  #finish(request: Request, exchange: ConnectionExchange, response: Response): MaybePromise<Response | undefined> {
    if (!exchange.hasFreshProgress) return this.#end(request, exchange, response);
    return waitProgressGap().then(() => this.#end(request, exchange, response));
  }

  #end(request: Request, exchange: ConnectionExchange, response: Response): Response | undefined {
    this.#inFlight.end(request.id, exchange);
    return exchange.isDiscarded ? undefined : response;
  }

  #refusalOf(request: Request): ErrorResponse | undefined {
    const { id } = request;
    // The error response omits the id. Otherwise the client would take the error for the response to the running request.
    if (this.#inFlight.get(id))
      return this.#errorResponse(RpcError.invalidRequest('A request with this id is running already'));
    if (this.#refusalReason !== undefined) return errorResponse(RpcError.internal(this.#refusalReason), id);
    if (this.#isFull) {
      return errorResponse(RpcError.internal('Too many requests are running on this connection'), id);
    }
    return this.#usage.hasRoom ? undefined : errorResponse(RpcError.internal(KEPT_BYTES_EXCEEDED), id);
  }

  #respond(request: Request, row: MethodRow | undefined, response: Response | undefined, opensSession = false): void {
    if (response) {
      this.#deliver(response, (cause) => this.send(this.#unencodable(request, cause)));
      // A subscription that shares its connection with other requests ends with its response and `notifications/cancelled`.
      if (row?.isLongLived && !isErrorResponse(response)) {
        this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: request.id } });
      }
    }
    if (opensSession) this.#drainQueue();
    if (!this.#queue.isActive) this.#inFlight.checkIdle();
  }

  // Handles the queued messages, even while new requests are refused. If `refusal` is given, queued requests get this error.
  #drainQueue(refusal?: string): void {
    const reason = this.#refusalReason;
    this.#refusalReason = refusal;
    for (let payload = this.#queue.next(); payload; payload = this.#queue.next()) {
      if (!this.#ended) this.#handle(payload);
    }
    this.#refusalReason ??= reason;
  }

  // Returns the error response to send instead of a response that cannot be encoded as JSON. `onError` gets `cause`.
  #unencodable({ id, method, params }: Request, cause: unknown): ErrorResponse {
    this.#server.report(cause, { method, name: (params as { readonly name?: string } | undefined)?.name });
    return errorResponse(RpcError.internal('The result could not be encoded'), id);
  }

  #receiveResponse(response: Response): void {
    if (this.#outgoing.settle(response)) return;
    if (!isErrorResponse(response) || response.id != null || this.#reportedErrors++ >= MAX_REPORTED_ERRORS) return;
    this.#server.report(RpcError.from(response.error), { method: 'response' });
  }

  #receiveNotification(notification: Notification, claim: unknown): void {
    const { method } = notification;
    const row = METHODS.get(method);
    // Ignores notifications with the method of a request, and all notifications above `limits.inFlight` or `limits.keptBytes`.
    const isFull = this.#inFlight.notifications >= this.#server.limits.inFlight || !this.#usage.hasRoom;
    if (row?.kind === 'request' || isFull) return;
    const exchange = new ConnectionExchange(this, method, row);
    this.#inFlight.beginNotification(exchange);
    const handled = handleNotification(this.#server, notification, exchange, claim);
    const kept = isPromise(handled) ? this.#usage.begin(notification.params) : undefined;
    void thenMaybe(handled, () => {
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

  #receiveBatch(batch: Batch): void {
    const refusal = batchRefusal(batch, this.#features);
    if (refusal) this.send(this.#errorResponse(refusal));
    else if (this.#features?.batches === 'accepted') for (const message of batch) this.#handle(message);
    else {
      const handled = handleBatch(batch, {
        handleRequest: (request) =>
          unlessDiscarded(this.#handleRequest(request, METHODS.get(request.method)), this.#inFlight.get(request.id)),
        receive: (message) => this.#receive(message),
        refuse: (fault) => this.#refuseUnparsed(fault),
        unencodable: ({ id }, cause) => this.#unencodable({ jsonrpc: '2.0', id: id as Id, method: 'batch' }, cause),
      });
      void handled.then((responses) => {
        if (responses.length > 0) this.send(responses);
        this.#inFlight.checkIdle();
      });
    }
  }

  #refuseUnparsed(fault: ParseError): ErrorResponse | undefined {
    const { id, isResponse, isNotification } = fault;
    if (isNotification) return undefined;
    if (!isResponse) {
      // The id of a running request is omitted. Otherwise the client would take the error for the response to that request.
      return this.#errorResponse(fault, id !== undefined && this.#inFlight.get(id) ? undefined : id);
    }
    // A malformed response gets no error response. The server's pending request with the same id fails.
    if (id !== undefined) this.#outgoing.fail(id, new ConnectionError('malformed', fault.message));
    return undefined;
  }

  #errorResponse(fault: RpcError | ParseError, id?: Id): ErrorResponse {
    return errorResponse(fault, id ?? (this.#features?.parseErrorId === 'null' ? null : undefined));
  }
}

/** Serves one connection over a transport. Resolves when the transport is connected. */
export async function serveConnection(
  server: ServerInternals,
  transport: Transport,
  options: ConnectionOptions,
): Promise<TransportConnection> {
  if (options.principal) checkPrincipal(options.principal, 'serve');
  const connection = new Connection(server, transport, options);
  await transport.connect(connection);
  return connection;
}
