/** The talk with one server over one transport: requests go out, answers, questions and news come in. */

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
import { NO_TIMEOUT, type TimeoutOptions } from '../jsonrpc/request-timeouts.ts';
import type { Receiver, Transport } from '../jsonrpc/transport.ts';
import { METHODS } from '../protocol/methods.ts';
import { type Meta, MetaKey } from '../protocol/model/meta.ts';
import type { ClientInfo, Decoded, ClientRevision as Revision } from '../protocol/revision.ts';
import { Exchanges } from './exchanges.ts';
import { IncomingRequests } from './incoming.ts';
import type { Progress, RequestOptions } from './request-options.ts';
import { resend } from './resend.ts';
import type { ServerFacts } from './server-profile.ts';
import { NO_ANSWERS } from './statuses.ts';

/** What a conversation needs from whoever has it. */
export interface ConversationHost {
  /** Who we are, as of now. */
  readonly client: ClientInfo;
  /** What extensions add to the `_meta` of a request. */
  requestMeta(method: string, params: Params, conversation: Conversation): Meta | undefined;
  /** Finds the answer to a request of the server's; throws what the server is to be told. */
  answer(request: Request, signal: AbortSignal, conversation: Conversation): Promise<unknown>;
  /** True if answering it may take time. */
  isQuestion(method: string): boolean;
  onNotification(notification: Notification, conversation: Conversation): void;
  onError(error: Error): void;
  /** What the server said unasked may have been missed. */
  onGap(): void;
  /** What the server says unasked is heard only while a call runs. */
  onDeaf(): void;
  /** The conversation is over; called once. */
  onEnd(cause: ConnectionError): void;
}

// What a server may say before we know what it answered.
const MAX_EARLY = 100;
// Errors that belong to no request, and are told nevertheless.
const MAX_ERRORS_TOLD = 10;

/** Sends requests in the way of a revision, and hears what the server says. */
export class Conversation implements Receiver {
  readonly #transport: Transport;
  readonly #host: ConversationHost;
  readonly #outgoing: PendingRequests;
  readonly #incoming: IncomingRequests;
  readonly #progress = new Map<Id, (progress: Progress) => void>();
  readonly #subscriptions = new Map<Id, (notification: Notification) => void>();
  readonly #exchanges: Exchanges;
  readonly #ended = new AbortController();
  /** When it began, in milliseconds since 1970. */
  readonly since: number = Date.now();
  #revision: Revision | undefined;
  #server: ServerFacts = { capabilities: {}, info: undefined, instructions: undefined };
  // What a server says before it knows which language is spoken is not for us, but for pings once a session is opened.
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

  /** Opens the transport. */
  connect(): Promise<void> {
    return this.#transport.connect(this);
  }

  /** The revision spoken. */
  get revision(): Revision {
    if (!this.#revision) throw new ConnectionError('not-connected', 'The server has not been greeted yet');
    return this.#revision;
  }

  /** Its name; empty before one is agreed on. */
  get version(): string {
    return this.#revision?.features.version ?? '';
  }

  /** What the server said of itself. */
  get server(): ServerFacts {
    return this.#server;
  }

  /** Stops the clocks of all calls, until the returned function is called. */
  holdClocks(): () => void {
    return this.#outgoing.pauseIdleTimers();
  }

  /** Aborts when the conversation is over; the reason is the error. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** True once a call was answered. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Why what the server says unasked is heard only while a call runs, if that is so. */
  get deafness(): Error | undefined {
    return this.#deafness;
  }

  /** True if arguments of tools are repeated as headers, as the revision wants it over HTTP. */
  get mirrorsArguments(): boolean {
    return this.#transport.isRequestScoped === true && this.#revision?.features.family === 'stateless';
  }

  /** From now on both sides know which revision is spoken. */
  speak(revision: Revision, server: ServerFacts): void {
    this.#revision = revision;
    this.#server = server;
    this.#hears = 'everything';
    for (const early of this.#early.splice(0)) this.onMessage(early);
  }

  /** Sends a request as it is, before a revision is agreed on. */
  ask(method: string, params: Params, options: PendingRequestOptions, id?: string): Promise<unknown> {
    if (method === 'initialize') this.#hears = 'pings';
    return this.#outgoing.request(method, params, options, { repeatable: true, ...(id === undefined ? {} : { id }) });
  }

  /** Nobody waits any more for the answer to this request; the server is not told. */
  forget(id: Id): void {
    this.#outgoing.fail(id, new ConnectionError('aborted', 'The answer is not needed any more'));
  }

  /** Sends a request in the way of the revision, and reads its result likewise. */
  send(method: string, params: Params, options: RequestOptions, details?: PendingRequestDetails): Promise<Decoded> {
    const { revision } = this;
    const { onProgress, meta } = options;
    let token: Id | undefined;
    const encode = (id: Id): Params | undefined => {
      token = id;
      if (onProgress) this.#progress.set(id, onProgress);
      const added = this.#host.requestMeta(method, params, this);
      // Asking for progress keeps a long call alive, whether or not the caller wants to see it.
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

  /**
   * Sends a request that stays open until it ends or is given up. Notifications that name it as their subscription go
   * to `onNotice`.
   */
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

  /**
   * Sends a notification; what cannot be sent is told to `onError`. Where the server says that it took it, the promise
   * resolves then.
   */
  notify(method: string, params?: Params): void | Promise<void> {
    if (!this.#transport.connected) return undefined;
    const notification = params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method };
    try {
      return this.#send(notification as Notification);
    } catch (error) {
      // Whoever sends this has nobody to tell that it could not be sent.
      this.onError(toError(error));
    }
  }

  /** Ends the conversation; calls that wait are rejected. */
  async close(cause: ConnectionError = new ConnectionError('closed', 'The connection was closed')): Promise<void> {
    this.#end(cause);
    await this.#transport.disconnect();
  }

  onMessage(payload: Payload): void {
    if (isBatch(payload)) for (const one of payload as Batch) this.onMessage(one);
    else if (isUnreadable(payload)) this.#takeUnreadable(payload);
    else if (isResponse(payload as Message)) this.#takeResponse(payload as Response);
    else if (this.#hears === 'everything' || (payload as Request).method === 'ping') this.#take(payload as Request);
    // The answer that opens the session is still being read.
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
    // Whose answer this is nobody knows, but before there is a session there is only one question.
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
    // A client of this revision sends no answers, so there is nothing it could say.
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

  // The server takes back a question of its own, or ends a subscription.
  #takeCancellation({ requestId }: Params): void {
    if (this.#incoming.cancel(requestId) || !this.#subscriptions.has(requestId as Id)) return;
    this.#outgoing.fail(requestId as Id, new ConnectionError('closed', 'The server ended the subscription'));
    this.#exchanges.hangUp(requestId as Id);
  }

  #takeUnreadable(fault: ParseError): void {
    const { id } = fault;
    // With an id and nothing else it can only have been an answer.
    const isAnswer = fault.isResponse || fault.code === 'MissingMethod';
    if (isAnswer && id !== undefined && this.#outgoing.has(id)) {
      this.#outgoing.fail(id, fault.toConnectionError());
      return;
    }
    // Programs that print a banner print many lines: that it happens is worth one error.
    if (this.#toldOfNoise) return;
    this.#toldOfNoise = true;
    this.onError(fault.code === 'MalformedJson' ? noise(fault) : fault.toConnectionError());
  }

  #send(message: Message): void | Promise<void> {
    if (!this.#transport.connected) return undefined;
    // An answer, or what the protocol itself says, means the same when it is said twice.
    const isAnswer = !('method' in message);
    const repeatable = isAnswer || METHODS.has(message.method);
    const send = (): void | Promise<void> => this.#transport.send(message, { repeatable });
    const sent = send();
    const accepted =
      isAnswer && this.#transport.isRequestScoped ? sent?.catch((error) => resend(error, send, this.ended)) : sent;
    return accepted?.catch((error: Error) => this.onError(error));
  }

  // What the caller's own functions throw is the caller's, and must not end the reading of messages.
  #tell(listener: () => void): void {
    callGuarded(listener, (error) => this.onError(error));
  }
}

function throwAnswerIn(error: unknown): never {
  throw answerIn(error);
}

// What a server answers with an error of JSON-RPC is its answer, whatever status that came with.
function answerIn(error: unknown): unknown {
  if (!(error instanceof ConnectionError) || error.code !== 'http-error') return error;
  if (NO_ANSWERS.has(error.status ?? 0)) return error;
  return error.cause instanceof RpcError ? error.cause : error;
}

function noise(fault: ParseError): ConnectionError {
  const hint = 'a server that is a program must write nothing but messages on stdout';
  return new ConnectionError('malformed', `The server sent something that is no message: ${hint}`, { cause: fault });
}
