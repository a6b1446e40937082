/** `Conversation`: the connection to a server over one transport, from connect to disconnect. */

import { ConnectionError, callGuarded, type ParseError, RpcError, toError } from '../jsonrpc/errors.ts';
import { type Batch, isUnreadable, type Payload } from '../jsonrpc/json/parse-message.ts';
import {
  type Id,
  isBatch,
  isErrorResponse,
  isObject,
  isRequest,
  isResponse,
  type Message,
  type Notification,
  type Params,
  type Request,
  type Response,
} from '../jsonrpc/message.ts';
import {
  type PendingRequestDetails,
  type PendingRequestOptions,
  PendingRequests,
} from '../jsonrpc/pending-requests.ts';
import type { TimeoutOptions } from '../jsonrpc/timeout-options.ts';
import type { Receiver, Transport } from '../jsonrpc/transport.ts';
import { METHODS } from '../protocol/methods.ts';
import { type Meta, MetaKey } from '../protocol/model/meta.ts';
import type { ClientInfo, Decoded, ClientRevision as Revision } from '../protocol/revision.ts';
import { Exchanges } from './exchanges.ts';
import { IncomingRequests } from './incoming.ts';
import type { Progress, RequestOptions } from './request-options.ts';
import { NO_TIMEOUT } from './request-options.ts';
import { resend } from './resend.ts';
import type { ServerFacts } from './server-profile.ts';
import { NO_ANSWERS } from './statuses.ts';

export interface ConversationHost {
  /** Info, capabilities and log level of the client. Read for each request, because the log level can change. */
  readonly client: ClientInfo;
  /** Returns the `_meta` members that extensions add to a request. */
  requestMeta(method: string, params: Params, conversation: Conversation): Meta | undefined;
  /** Handles a request from the server and returns the result. A thrown `RpcError` is sent to the server. */
  answer(request: Request, signal: AbortSignal, conversation: Conversation): Promise<unknown>;
  /** Returns true if a handler of the application responds to the method. Timeouts are paused while the handler runs. */
  isQuestion(method: string): boolean;
  onNotification(notification: Notification, conversation: Conversation): void;
  onError(error: Error): void;
  /** Called when notifications from the server could have been lost. */
  onGap(): void;
  /** Called if the server can send notifications only while a call runs, for instance because it refuses the GET stream. */
  onDeaf(): void;
  /** Called once, when the transport connection has ended. */
  onEnd(cause: ConnectionError): void;
}

// Maximum number of messages that are buffered until the response to `initialize` has been processed.
const MAX_EARLY = 100;
// Maximum number of error responses without an id that are reported to `onError`.
const MAX_ERRORS_TOLD = 10;

/** Sends requests in the encoding of the negotiated revision, and handles messages from the server. */
export class Conversation implements Receiver {
  readonly #transport: Transport;
  readonly #host: ConversationHost;
  readonly #outgoing: PendingRequests;
  readonly #incoming: IncomingRequests;
  readonly #progress = new Map<Id, (progress: Progress) => void>();
  readonly #subscriptions = new Map<Id, (notification: Notification) => void>();
  readonly #exchanges: Exchanges;
  readonly #ended = new AbortController();
  /** Time of creation, in milliseconds since 1970. */
  readonly since: number = Date.now();
  #revision: Revision | undefined;
  #server: ServerFacts = { capabilities: {}, info: undefined, instructions: undefined };
  // Messages that are handled: responses only; from `initialize` on also pings; after the handshake everything.
  #hears: 'answers' | 'pings' | 'everything' = 'answers';
  readonly #early: Message[] = [];
  #toldOfNoise = false;
  #errorsTold = 0;
  #toldOfRequests = false;
  #hasAnswered = false;
  #deafness: Error | undefined;

  constructor(transport: Transport, host: ConversationHost, patience: TimeoutOptions) {
    this.#transport = transport;
    this.#host = host;
    const hasExchanges = transport.isRequestScoped ?? transport.cancelsBy === 'hang-up';
    const cancel = (requestId: Id, method: string, reason: string): void => {
      const isTold = transport.cancelsBy === 'notification' && method !== 'initialize';
      if (isTold) void this.notify('notifications/cancelled', { requestId, reason });
      this.#exchanges.hangUp(requestId);
    };
    const send = (request: Request, details: PendingRequestDetails): void | Promise<void> =>
      hasExchanges ? this.#exchanges.send(request, details) : transport.send(request);
    this.#outgoing = new PendingRequests({ send, cancel }, patience);
    this.#exchanges = new Exchanges(transport, this.#outgoing);
    this.#incoming = new IncomingRequests({
      answer: (request, signal) => host.answer(request, signal, this),
      send: (response) => this.#send(response),
      isQuestion: (method) => host.isQuestion(method),
      pauseClocks: () => this.#outgoing.pausePending(),
      onError: (error) => host.onError(error),
    });
  }

  connect(): Promise<void> {
    return this.#transport.connect(this);
  }

  /** The negotiated revision. Throws `ConnectionError('not-connected')` before the handshake has completed. */
  get revision(): Revision {
    if (!this.#revision) throw new ConnectionError('not-connected', 'The server has not been greeted yet');
    return this.#revision;
  }

  /** The negotiated protocol version; empty before the handshake has completed. */
  get version(): string {
    return this.#revision?.features.version ?? '';
  }

  /** Capabilities, info and instructions of the server, from the handshake. */
  get server(): ServerFacts {
    return this.#server;
  }

  /** Pauses the idle timeouts of all calls, until the returned function is called. */
  holdClocks(): () => void {
    return this.#outgoing.pauseIdleTimers();
  }

  /** Aborts when the transport connection ends. The reason is the `ConnectionError`. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** True after the first result of a call. Results of the handshake do not count. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Why the server can send notifications only while a call runs; undefined if it can send them at any time. */
  get deafness(): Error | undefined {
    return this.#deafness;
  }

  /** True if tool arguments are repeated in `Mcp-Param-*` headers: over HTTP, in stateless revisions. */
  get mirrorsArguments(): boolean {
    return this.#transport.isRequestScoped === true && this.#revision?.features.family === 'stateless';
  }

  /** Completes the handshake, and handles the messages that were buffered during it. */
  speak(revision: Revision, server: ServerFacts): void {
    this.#revision = revision;
    this.#server = server;
    this.#hears = 'everything';
    for (const early of this.#early.splice(0)) this.onMessage(early);
  }

  /** Sends a request of the handshake, when no revision has been negotiated yet. */
  ask(method: string, params: Params, options: PendingRequestOptions, id?: string): Promise<unknown> {
    if (method === 'initialize') this.#hears = 'pings';
    return this.#outgoing.request(method, params, options, { repeatable: true, ...(id === undefined ? {} : { id }) });
  }

  /** Stops waiting for the response to a request, without cancelling the request at the server. */
  forget(id: Id): void {
    this.#outgoing.fail(id, new ConnectionError('aborted', 'The answer is not needed any more'));
  }

  /** Sends a request and decodes the result, both in the encoding of the negotiated revision. */
  send(method: string, params: Params, options: RequestOptions, details?: PendingRequestDetails): Promise<Decoded> {
    const { revision } = this;
    const { onProgress, meta } = options;
    let token: Id | undefined;
    const encode = (id: Id): Params | undefined => {
      token = id;
      if (onProgress) this.#progress.set(id, onProgress);
      const added = this.#host.requestMeta(method, params, this);
      // Each progress notification restarts the idle timeout, so progress is requested even without `onProgress`.
      const whole = added || meta ? { ...added, ...meta, progressToken: id } : { progressToken: id };
      return revision.encodeRequest(params, this.#host.client, whole);
    };
    const decode = (result: unknown): Decoded => {
      this.#hasAnswered = true;
      return revision.decodeResult(method, result);
    };
    const decoded = this.#outgoing.request(method, encode, options, details).then(decode, throwAnswerIn);
    return onProgress ? decoded.finally(() => this.#progress.delete(token as Id)) : decoded;
  }

  /** Sends a request without timeout. Notifications whose subscription id is the request's id go to `onNotice`. */
  async open(
    method: string,
    params: Params,
    onNotice: (notification: Notification) => void,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { revision } = this;
    let subscription: Id | undefined;
    const encode = (id: Id): Params | undefined => {
      subscription = id;
      this.#subscriptions.set(id, onNotice);
      return revision.encodeRequest(params, this.#host.client, this.#host.requestMeta(method, params, this));
    };
    try {
      const result = await this.#outgoing.request(method, encode, { ...NO_TIMEOUT, signal }, { repeatable: true });
      return isObject(result) ? result : {};
    } catch (error) {
      throw answerIn(error);
    } finally {
      if (subscription !== undefined) this.#subscriptions.delete(subscription);
    }
  }

  /** Sends a notification. Failures go to `onError`. Over HTTP, the promise resolves when the server has accepted it. */
  notify(method: string, params?: Params): void | Promise<void> {
    if (!this.#transport.connected) return undefined;
    const notification = params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method };
    try {
      return this.#send(notification as Notification);
    } catch (error) {
      // Reported here, because callers of `notify` do not handle errors.
      this.onError(toError(error));
    }
  }

  /** Ends the transport connection. Pending calls reject with `cause`. */
  async close(cause: ConnectionError = new ConnectionError('closed', 'The connection was closed')): Promise<void> {
    this.#end(cause);
    await this.#transport.disconnect();
  }

  onMessage(payload: Payload): void {
    if (isBatch(payload)) for (const one of payload as Batch) this.onMessage(one);
    else if (isUnreadable(payload)) this.#takeUnreadable(payload);
    else if (isResponse(payload as Message)) this.#takeResponse(payload as Response);
    else if (this.#hears === 'everything' || (payload as Request).method === 'ping') this.#take(payload as Request);
    // Buffered until the response to `initialize` has been processed.
    else if (this.#hears === 'pings' && this.#early.length < MAX_EARLY) this.#early.push(payload as Message);
  }

  onError(error: Error): void {
    this.#host.onError(error);
  }

  onMessagesMissed(): void {
    this.#host.onGap();
  }

  onPushUnavailable(cause: Error): void {
    this.#deafness = cause;
    this.#host.onDeaf();
  }

  onClose(cause?: Error): void {
    this.#end(
      cause instanceof ConnectionError
        ? cause
        : new ConnectionError('closed', 'The connection is closed', cause ? { cause } : {}),
    );
  }

  #end(cause: ConnectionError): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(cause);
    this.#exchanges.clear();
    this.#outgoing.close(cause);
    this.#incoming.close();
    this.#host.onEnd(cause);
  }

  #takeResponse(response: Response): void {
    if (this.#outgoing.settle(response) || response.id != null || !isErrorResponse(response)) return;
    // During the handshake, an error response without an id belongs to the only pending request.
    const error = RpcError.from(response.error);
    if (this.#hears !== 'everything' && this.#outgoing.failOnly(error)) return;
    if (this.#errorsTold++ < MAX_ERRORS_TOLD) this.onError(error);
  }

  #take(message: Request | Notification): void {
    if (isRequest(message)) this.#takeRequest(message);
    else this.#takeNotification(message);
  }

  #takeRequest(request: Request): void {
    if (this.#hears === 'answers') return;
    if (this.#revision?.features.inputVia !== 'retry') {
      this.#incoming.take(request);
      return;
    }
    // In stateless revisions clients send no responses, so the request is ignored and reported once.
    const error = new ConnectionError('malformed', 'The server sent a request, which this revision has not');
    if (!this.#toldOfRequests) this.onError(error);
    this.#toldOfRequests = true;
  }

  #takeNotification(notification: Notification): void {
    const params = isObject(notification.params) ? notification.params : {};
    if (notification.method === 'notifications/progress') this.#takeProgress(params);
    else if (notification.method === 'notifications/cancelled') this.#takeCancellation(params);
    else {
      const meta = isObject(params['_meta']) ? params['_meta'] : {};
      const onNotice = this.#subscriptions.get(meta[MetaKey.subscriptionId] as Id);
      this.#tell(() => (onNotice ? onNotice(notification) : this.#host.onNotification(notification, this)));
    }
  }

  #takeProgress(params: Params): void {
    const { progressToken, progress, total, message } = params;
    if (typeof progress !== 'number') return;
    this.#outgoing.progress(progressToken as Id, progress);
    const onProgress = this.#progress.get(progressToken as Id);
    if (!onProgress) return;
    const report = {
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    };
    this.#tell(() => onProgress(report));
  }

  // The server cancels one of its own requests, or ends a subscription.
  #takeCancellation({ requestId }: Params): void {
    if (this.#incoming.cancel(requestId) || !this.#subscriptions.has(requestId as Id)) return;
    this.#outgoing.fail(requestId as Id, new ConnectionError('closed', 'The server ended the subscription'));
    this.#exchanges.hangUp(requestId as Id);
  }

  #takeUnreadable(fault: ParseError): void {
    const { id } = fault;
    // A message with an id but without a method is a response.
    const isAnswer = fault.isResponse || fault.code === 'MissingMethod';
    if (isAnswer && id !== undefined && this.#outgoing.has(id)) {
      this.#outgoing.fail(id, fault.toConnectionError());
      return;
    }
    // Reported once, because a process that prints a banner to stdout prints many lines.
    if (this.#toldOfNoise) return;
    this.#toldOfNoise = true;
    this.onError(fault.code === 'MalformedJson' ? noise(fault) : fault.toConnectionError());
  }

  #send(message: Message): void | Promise<void> {
    if (!this.#transport.connected) return undefined;
    // Responses and notifications of the protocol are idempotent, so the transport may repeat them.
    const isAnswer = !('method' in message);
    const repeatable = isAnswer || METHODS.has(message.method);
    const send = (): void | Promise<void> => this.#transport.send(message, { repeatable });
    const sent = send();
    const accepted =
      isAnswer && this.#transport.isRequestScoped ? sent?.catch((error) => resend(error, send, this.ended)) : sent;
    return accepted?.catch((error: Error) => this.onError(error));
  }

  // Errors of the application's callbacks go to `onError` and do not interrupt message handling.
  #tell(listener: () => void): void {
    callGuarded(listener, (error) => this.onError(error));
  }
}

function throwAnswerIn(error: unknown): never {
  throw answerIn(error);
}

// A JSON-RPC error in an HTTP error response is the response to the request, unless the status is about authorization or load.
function answerIn(error: unknown): unknown {
  if (!(error instanceof ConnectionError) || error.code !== 'http-error') return error;
  if (NO_ANSWERS.has(error.status ?? 0)) return error;
  return error.cause instanceof RpcError ? error.cause : error;
}

function noise(fault: ParseError): ConnectionError {
  const hint = 'a server that is a program must write nothing but messages on stdout';
  return new ConnectionError('malformed', `The server sent something that is no message: ${hint}`, { cause: fault });
}
