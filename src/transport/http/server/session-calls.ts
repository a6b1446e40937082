/** `SessionCalls`: handles the messages that a client sends in its session, alone or in batches. */

import { errorResponse, type ParseError, RpcError } from '../../../jsonrpc/errors.ts';
import { type Batch, isUnreadable, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import { ignoreRejection, isPromise, type MaybePromise, thenMaybe } from '../../../jsonrpc/maybe-promise.ts';
import {
  type ErrorResponse,
  type Id,
  isBatch,
  isObject,
  isRequest,
  isResponse,
  type Message,
  type Notification,
  type Request,
  type Response,
} from '../../../jsonrpc/message.ts';
import type { Authenticate } from '../../../protocol/http/authenticate.ts';
import { METHODS } from '../../../protocol/methods.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { revisionNamed } from '../../../protocol/revision-of-message.ts';
import type { Session } from '../../../protocol/session.ts';
import { batchRefusal, handleBatch, unlessDiscarded } from '../../../server/connection/batch.ts';
import { ConnectionExchange } from '../../../server/connection/exchange.ts';
import { handleNotification, handleRequest } from '../../../server/handle-request.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import { checkScopes } from './authenticate.ts';
import type { LiveSession } from './live-session.ts';
import type { Load } from './load.ts';
import type { SessionMessage } from './options.ts';
import type { Post } from './post.ts';
import { busy, closing, Refusal } from './refusal.ts';
import { reply, type Visit } from './visit.ts';

/** The session of a POST, and its state on this node. */
export interface Place {
  readonly session: Session;
  readonly live: LiveSession;
}

/** Members of the endpoint that `SessionCalls` uses. They differ between endpoints with and without stored sessions. */
export interface CallsHost<P extends Place> {
  readonly settings: { readonly auth: Authenticate | undefined };
  readonly server: ServerInternals;
  readonly load: Load;
  /** Creates the `Post` of these requests. Its stream can be resumed if the session is stored. */
  makePost(visit: Visit, place: P, requestIds?: Id | readonly Id[]): Post;
  /** Sends the response to an input request to the node that waits for it. Returns false if that node is gone. */
  respond(place: P, id: Id | null | undefined, message: SessionMessage): MaybePromise<boolean>;
  /** Sends a message to all nodes on which calls of the session can run. */
  broadcast(place: P, message: SessionMessage): MaybePromise<void>;
  /** Stores what the message changed in the session. Throws a `Refusal` if that fails. */
  save(place: P): MaybePromise<void>;
  report(error: unknown): void;
}

export class SessionCalls<P extends Place> {
  readonly #host: CallsHost<P>;
  readonly #place: P;
  readonly #revision: Revision;

  constructor(host: CallsHost<P>, place: P) {
    this.#host = host;
    this.#place = place;
    this.#revision = revisionNamed(place.session.version);
  }

  /** Handles the payload and responds to the POST. Throws a `Refusal` if the payload cannot be handled. */
  take(visit: Visit, payload: Payload): MaybePromise<void> {
    if (isBatch(payload)) return this.#takeBatch(visit, payload as Batch);
    if (isUnreadable(payload)) return this.#takeUnreadable(payload);
    const message = payload as Message;
    if (isRequest(message)) return this.#takeRequest(visit, message);
    if (isResponse(message)) return thenMaybe(this.#takeResponse(message), (isTaken) => replyTo(visit, isTaken));
    return thenMaybe(this.#takeNotification(visit, message), () => reply(visit, 202, {}));
  }

  #takeResponse(response: Response): MaybePromise<boolean> {
    return this.#host.respond(this.#place, response.id, { type: 'response', response });
  }

  #takeRequest(visit: Visit, request: Request): void {
    this.#checkScopes(visit, request);
    const refusal = this.#refusalOf(visit, request);
    if (refusal) throw refusal;
    const post = this.#host.makePost(visit, this.#place, request.id);
    const exchange = this.#begin(post, request);
    let response: MaybePromise<Response | undefined>;
    try {
      response = this.#answer(visit, exchange, request);
    } catch (error) {
      this.#refuse(post, error, request.id);
      return;
    }
    if (isPromise(response)) this.#respondLater(post, exchange, request.id, response);
    else this.#respond(post, response);
  }

  #respondLater(post: Post, exchange: ConnectionExchange, id: Id, response: Promise<Response | undefined>): void {
    const { load } = this.#host;
    const release = this.#place.live.hold();
    // A discarded request gets no response, so the stream ends before the handler does.
    exchange.onEnd(() => exchange.isDiscarded && (load.isOver ? post.refuse(closing()) : post.abandon()));
    // A disconnect does not cancel a request of a stateful revision: the client can resume the stream to get the response.
    post.wait(() => {});
    const failed = (error: unknown): void => this.#refuse(post, error, id);
    void response.then((late) => this.#respond(post, late), failed).finally(release);
  }

  // Sends an error in place of the response, because the session could not be stored.
  #refuse(post: Post, error: unknown, id?: Id): void {
    const { report } = this.#host;
    const refusal = error instanceof Refusal ? error : new Refusal(500, RpcError.internal());
    report(refusal === error ? refusal.cause : error);
    post.refuse(refusal, id);
    post.close();
    this.#place.live.inFlight.checkIdle();
  }

  #respond(post: Post, response: Response | undefined): void {
    if (response) post.respond(200, response);
    post.close();
    this.#place.live.inFlight.checkIdle();
  }

  #begin(post: Post, request: Request): ConnectionExchange {
    const exchange = new ConnectionExchange(post, request.method);
    this.#place.live.inFlight.begin(request.id, exchange);
    return exchange;
  }

  #answer(visit: Visit, exchange: ConnectionExchange, request: Request): MaybePromise<Response | undefined> {
    // Scopes have been checked. Revision and caller are those of the session.
    const admitted = { revision: this.#revision, caller: this.#revision.callerOf({}, this.#place.session) };
    const answered = handleRequest(this.#host.server, request, exchange, undefined, admitted);
    const { load } = this.#host;
    const held = isPromise(answered) ? load.hold(visit, request.params) : undefined;
    return thenMaybe(answered, (response) => {
      if (held !== undefined) load.release(visit, held, false, exchange.runningAfterResponse);
      this.#place.live.inFlight.end(request.id, exchange);
      if (exchange.isDiscarded) return undefined;
      // Methods of the core protocol can change the session. The change is stored before the response confirms it.
      return this.#revision.methods.has(request.method) ? thenMaybe(this.#save(), () => response) : response;
    });
  }

  #save(): MaybePromise<void> {
    return this.#host.save(this.#place);
  }

  #checkScopes({ principal }: Visit, payload: Payload): void {
    const { server, settings } = this.#host;
    checkScopes(server, payload, { principal, capabilities: this.#place.session.capabilities }, settings);
  }

  #refusalOf(visit: Visit, { id }: Request): Refusal | undefined {
    const { inFlight } = this.#place.live;
    // The refusal omits the id: the client would take an error with this id for the response to the running request.
    if (inFlight.get(id)) {
      return new Refusal(400, RpcError.invalidRequest('A request with this id is running already'), this.#unreadableId);
    }
    const isFull = inFlight.running >= this.#host.server.limits.inFlight;
    if (isFull) return busy('Too many requests are running in this session');
    return this.#host.load.refusalOf(visit);
  }

  #takeNotification(visit: Visit, notification: Notification): MaybePromise<void> {
    const { method, params } = notification;
    const { server } = this.#host;
    const { live } = this.#place;
    if (method === 'notifications/cancelled') {
      const { requestId, reason } = isObject(params) ? params : {};
      return this.#host.broadcast(this.#place, { type: 'cancelled', requestId, reason });
    }
    // Ignored: request methods without an id, and notifications beyond a limit.
    const { load } = this.#host;
    const isFull = live.inFlight.notifications >= server.limits.inFlight || load.refusalOf(visit) !== undefined;
    if (METHODS.get(method)?.kind === 'request' || isFull) return undefined;
    const post = this.#host.makePost(visit, this.#place);
    post.isQuiet = true;
    const exchange = new ConnectionExchange(post, method);
    const release = live.hold();
    const ended = (): void => {
      live.inFlight.endNotification(exchange);
      release();
    };
    live.inFlight.beginNotification(exchange);
    const taken = handleNotification(server, notification, exchange, undefined);
    // The 202 does not wait for an asynchronous notification handler.
    if (isPromise(taken)) {
      const held = load.hold(visit, params);
      void taken.then(ended).finally(() => load.release(visit, held));
    } else ended();
    return this.#revision.notifications.has(method) ? this.#save() : undefined;
  }

  #takeBatch(visit: Visit, batch: Batch): MaybePromise<void> {
    const refusal = batchRefusal(batch, this.#revision.features);
    if (refusal) throw this.#unreadable(refusal);
    this.#checkScopes(visit, batch);
    const { live } = this.#place;
    const requests = batch.filter((one): one is Request => !isUnreadable(one) && isRequest(one));
    const hasRequests = requests.length > 0;
    const post = this.#host.makePost(
      visit,
      this.#place,
      requests.map(({ id }) => id),
    );
    const release = live.hold();
    if (hasRequests) post.wait(() => {});
    const answered = handleBatch(batch, {
      handleRequest: (request) => this.#answerInBatch(visit, post, request),
      receive: (message) => this.#takeInBatch(visit, message),
      refuse: (fault) => (fault.isResponse || fault.isNotification ? undefined : this.#unreadableResponse(fault)),
      unencodable: ({ id }, cause) => {
        this.#host.report(cause);
        return errorResponse(RpcError.internal('The result could not be encoded'), id);
      },
    });
    const respond = (responses: readonly Response[]): void => {
      if (responses.length > 0) this.#respondAll(post, responses);
      else if (hasRequests) post.abandon();
      else reply(visit, 202, {});
      post.close();
      live.inFlight.checkIdle();
    };
    return answered
      .then(respond)
      .then(undefined, (error: unknown) => this.#refuse(post, error))
      .finally(release);
  }

  #respondAll(post: Post, responses: readonly Response[]): void {
    if (this.#revision.features.batches === 'answered as one') post.respond(200, responses);
    else post.respondEach(responses);
  }

  #answerInBatch(visit: Visit, post: Post, request: Request): MaybePromise<Response | undefined> {
    const refusal = this.#refusalOf(visit, request);
    if (refusal) return errorResponse(refusal.error, refusal.id);
    const exchange = this.#begin(post, request);
    return unlessDiscarded(
      this.#savedOrFailed(() => this.#answer(visit, exchange, request), request),
      exchange,
    );
  }

  // If the session cannot be stored, only this request of the batch gets an error.
  #savedOrFailed(
    answer: () => MaybePromise<Response | undefined>,
    { id }: Request,
  ): MaybePromise<Response | undefined> {
    const failed = (error: unknown): Response => {
      this.#host.report(error instanceof Refusal ? error.cause : error);
      return errorResponse(error instanceof Refusal ? error.error : RpcError.internal(), id);
    };
    try {
      const response = answer();
      return isPromise(response) ? response.catch(failed) : response;
    } catch (error) {
      return failed(error);
    }
  }

  #takeInBatch(visit: Visit, message: Message): void {
    if (isResponse(message)) this.#unwatched(() => thenMaybe(this.#takeResponse(message), () => {}));
    else if (!isRequest(message)) this.#unwatched(() => this.#takeNotification(visit, message as Notification));
  }

  // Reports failures to `onError`, because the client expects no response.
  #unwatched(action: () => MaybePromise<void>): void {
    ignoreRejection(action, this.#host.report);
  }

  #takeUnreadable(fault: ParseError): MaybePromise<never> {
    const { id, isResponse: isAnswer, message } = fault;
    // Lets the call that waits for this response fail at once, not only when it times out.
    if (isAnswer && id !== undefined) {
      const malformed = { type: 'malformed', id, message } as const;
      this.#unwatched(() => thenMaybe(this.#host.respond(this.#place, id, malformed), () => {}));
    }
    const { error, id: told } = this.#unreadableResponse(fault);
    throw new Refusal(400, RpcError.from(error), isAnswer ? undefined : told);
  }

  // Omits the id of a running request: the client would take the error for the response to that request.
  #unreadableResponse(fault: ParseError): ErrorResponse {
    const { id } = fault;
    const isFree = id !== undefined && !this.#place.live.inFlight.get(id);
    return errorResponse(fault.toRpcError(), isFree ? id : this.#unreadableId);
  }

  #unreadable(error: RpcError): Refusal {
    return new Refusal(400, error, this.#unreadableId);
  }

  get #unreadableId(): null | undefined {
    return this.#revision.features.parseErrorId === 'null' ? null : undefined;
  }
}

// 400, if the node that waits for the response is gone: 404 would end the session, and 202 would hide that the call is lost.
function replyTo(visit: Visit, isTaken: boolean): void {
  if (!isTaken)
    throw new Refusal(400, 'The request that asked for this has ended: the server that processed it is gone');
  reply(visit, 202, {});
}
