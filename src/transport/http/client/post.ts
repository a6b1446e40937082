/** `Post`: sends one message by HTTP POST, and reads the response as JSON or as an SSE stream. */

import { NO_ANSWERS } from '../../../client/statuses.ts';
import { ConnectionError, ParseError, RpcError } from '../../../jsonrpc/errors.ts';
import type { ReceivedLimits } from '../../../jsonrpc/json/message-limits.ts';
import { MessageReader, readPayload } from '../../../jsonrpc/json/message-reader.ts';
import type { Payload } from '../../../jsonrpc/json/parse-message.ts';
import { isErrorResponse, isRequest, type Message, type Request, serialize } from '../../../jsonrpc/message.ts';
import type { SendOptions } from '../../../jsonrpc/transport.ts';
import { EventParser, type ServerEvent } from './event-parser.ts';
import type { EventStream } from './event-stream.ts';
import { ACCEPT_MS, fellSilent, notAccepted, statusError, unanswered } from './failures.ts';
import { JsonBody } from './json-body.ts';
import { KeepAlives } from './keep-alives.ts';
import { bodyKind, typeName } from './media-type.ts';
import { addressed, answerIn } from './messages.ts';
import { canResumeFrom, messageHeaders } from './request-headers.ts';
import type { Requester } from './requester.ts';
import type { ResponseHead, ResponseReader } from './sender.ts';
import type { HttpSession } from './session.ts';

/** The transport of a `Post`: dependencies and callbacks. */
export interface PostHost {
  readonly requester: Requester;
  readonly session: HttpSession;
  readonly maxResponseBytes: number;
  readonly limits: ReceivedLimits;
  deliver(payload: Payload): void;
  /** Resumes the interrupted SSE stream of a response. `told` is the delay that the server requested, in milliseconds. */
  resume(post: Post, lastEventId: string, told: number | undefined): EventStream;
  /** Called if the server refused the message with 404, because it does not know the session. */
  onUnknownSession(post: Post): void;
  /** Called when the server has accepted the message with a status below 400. */
  onAnswering(): void;
  /** Called when the exchange of the message has ended. */
  onOver(post: Post): void;
}

interface BodyReader {
  push(bytes: Uint8Array): void | Promise<void>;
  end(): void;
}

// Time for the server to end an SSE stream after the response, in milliseconds. A stream that ends frees its connection.
const LINGER_MS = 1000;
const MAX_IGNORED = 64 * 1024;

/** Posts one message and delivers the messages of the response. In a session, resumes an interrupted SSE stream. */
export class Post implements ResponseReader {
  readonly message: Message;
  /** Key of the POST among the open POSTs of its transport; 0 before the transport has added it. */
  number = 0;
  readonly #request: Request | undefined;
  readonly #host: PostHost;
  readonly #options: SendOptions;
  readonly #text: string;
  #hangUp: (() => void) | undefined;
  #body: BodyReader | undefined;
  #resumption: EventStream | undefined;
  #reader: MessageReader | undefined;
  #lastEventId: string | undefined;
  #told: number | undefined;
  #sessionId: string | undefined;
  /** Created at the first SSE comment, because most streams end before one arrives. */
  #keepAlives: KeepAlives | undefined;
  #isHeard = false;
  #isAnswered = false;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Throws if the message cannot be serialized to JSON. */
  constructor(host: PostHost, message: Message, options: SendOptions) {
    this.#host = host;
    this.message = message;
    this.#text = serialize(message);
    this.#request = isRequest(message) ? message : undefined;
    this.#options = options;
    options.signal?.addEventListener('abort', this.#onAbort);
  }

  send(): void {
    const { requester, session } = this.#host;
    const body = this.#text;
    const { headers: added, repeatable = false } = this.#options;
    if (this.#request?.method === 'initialize') session.begin(this.#request);
    this.#sessionId = session.id;
    const headers = messageHeaders(this.message, session);
    if (!this.#request) this.#within(ACCEPT_MS, () => this.end(notAccepted(requester.name)));
    // A cancellation must not prompt the user to sign in.
    const isBackground = 'method' in this.message && this.message.method === 'notifications/cancelled';
    this.#hangUp = requester.send({ method: 'POST', headers, added, body, repeatable, isBackground }, this);
  }

  /** True if the server has accepted the message with a status below 400. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Ends the exchange, and calls `onEnd` unless the sender has aborted its signal. */
  end(cause: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#keepAlives?.stop();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#resumption?.stop();
    this.#hangUp?.();
    this.#host.onOver(this);
    if (!this.#options.signal?.aborted) this.#options.onEnd?.(cause);
  }

  onHead(head: ResponseHead): void {
    this.#isHeard = head.status < 400;
    try {
      if (!this.#isHeard) this.#body = this.#readRefusal(head);
      else if (this.#request) this.#body = this.#readAnswer(head, this.#request);
      else this.#body = this.#accept();
    } catch (error) {
      this.end(error as Error);
    }
    if (this.#isHeard) this.#host.onAnswering();
  }

  onChunk(bytes: Uint8Array): void | Promise<void> {
    if (this.#isOver) return;
    try {
      return this.#body?.push(bytes);
    } catch (error) {
      this.end(error as Error);
    }
  }

  onEnd(): void {
    this.#body?.end();
  }

  onFail(error: Error): void {
    if (this.#isOver) return;
    this.#keepAlives?.stop();
    if (this.#isAnswered) this.end(undefined);
    else if (!this.#resume()) this.end(error);
  }

  /** Handles an event of the response, or of the GET stream that resumes the response. */
  takeEvent({ type, data, id }: ServerEvent): void {
    if (this.#isOver) return;
    if (id !== undefined) this.#lastEventId = canResumeFrom(id) ? id : undefined;
    if (type !== 'message' || data === '') return;
    this.#reader ??= new MessageReader(this.#host.limits);
    const payload = this.#reader.read(data);
    if (payload) this.#take(payload);
    if (!this.#isAnswered) return;
    // The server should end the stream after the response, so that the connection can be reused. After 1 s the client ends it.
    if (this.#resumption) this.end(undefined);
    else if (this.#timer === undefined) this.#within(LINGER_MS, () => this.end(undefined));
  }

  readonly #onAbort = (): void => this.end(undefined);

  #readAnswer(head: ResponseHead, request: Request): BodyReader {
    const { session, requester, maxResponseBytes } = this.#host;
    if (request.method === 'initialize') session.offer(head.header('mcp-session-id'));
    const kind = bodyKind(head);
    if (kind === 'json') return this.#readJson(head, (payload) => this.#takeOnly(payload));
    if (kind === 'nothing') throw unanswered(requester.name);
    if (kind === 'other') throw notMessages(head, requester.name);
    const onRetry = (milliseconds: number): void => {
      this.#told = milliseconds;
    };
    const onEvent = (event: ServerEvent): void => this.takeEvent(event);
    const onComment = (text: string): void => {
      this.#keepAlives ??= new KeepAlives(() => this.#loseIfSilent(request));
      this.#keepAlives.onComment(text);
    };
    const onFault = (error: Error): void => this.end(error);
    const parser = new EventParser({ onEvent, onRetry, onComment, onFault }, maxResponseBytes);
    return {
      push: (bytes) => {
        this.#keepAlives?.onBytes();
        return parser.push(bytes);
      },
      end: () => this.onFail(unanswered(requester.name)),
    };
  }

  #readJson(head: ResponseHead, take: (payload: Payload | undefined) => void): BodyReader {
    const body = new JsonBody(this.#host.maxResponseBytes, head.header('content-length'));
    return {
      push: (bytes) => body.push(bytes),
      end: () => {
        const bytes = body.take();
        take(bytes.length === 0 ? undefined : readPayload(bytes, this.#host.limits));
      },
    };
  }

  // The body is read to its end and ignored, so that the connection can be reused.
  #accept(): BodyReader {
    let ignored = 0;
    return {
      push: (bytes) => {
        ignored += bytes.length;
        if (ignored > MAX_IGNORED) this.end(undefined);
      },
      end: () => this.end(undefined),
    };
  }

  #readRefusal(head: ResponseHead): BodyReader | undefined {
    if (bodyKind(head) === 'json') return this.#readJson(head, (payload) => this.#refused(head, payload));
    this.#refused(head, undefined);
    return undefined;
  }

  #refused(head: ResponseHead, payload: Payload | undefined): void {
    const { requester } = this.#host;
    const { status } = head;
    const id = this.#request?.id;
    const answer = payload === undefined || id === undefined ? undefined : answerIn(addressed(payload, id), id);
    const error = answer && !(answer instanceof ParseError) && isErrorResponse(answer) ? answer : undefined;
    // An error without an id can come from another program at this URL, such as a proxy, so the HTTP status decides.
    const isOwn = error && payload && id !== undefined && answerIn(payload, id) === error;
    // With a session id, 404 means an unknown session, unless the JSON-RPC error is "Method not found" (-32601).
    const isUnknownSession = status === 404 && this.#sessionId !== undefined && error?.error.code !== -32601;
    if (isUnknownSession) this.#host.onUnknownSession(this);
    else if (isOwn && status < 500 && !NO_ANSWERS.has(status)) this.#takeOnly(error);
    else this.end(statusError(head, requester.name, error && RpcError.from(error.error)));
  }

  #takeOnly(payload: Payload | undefined): void {
    if (payload instanceof ParseError) this.end(payload.toConnectionError());
    else {
      if (payload !== undefined) this.#take(payload);
      this.end(this.#isAnswered ? undefined : unanswered(this.#host.requester.name));
    }
  }

  #take(payload: Payload): void {
    const { session } = this.#host;
    const id = this.#request?.id;
    const own = id === undefined ? payload : addressed(payload, id);
    const answer = id === undefined ? undefined : answerIn(own, id);
    if (answer && !(answer instanceof ParseError)) session.take(answer);
    if (answer) this.#isAnswered = true;
    this.#host.deliver(own);
  }

  // A busy server can stop sending keep-alives, so a silent stream is dropped only if no response is lost: if the stream can be
  // resumed, or carries a subscription.
  #loseIfSilent({ method }: Request): void {
    const { session, requester } = this.#host;
    const isResumable = session.isOpen && this.#lastEventId !== undefined;
    if (!isResumable && method !== 'subscriptions/listen') return;
    this.#keepAlives?.stop();
    this.#hangUp?.();
    this.onFail(fellSilent(requester.name));
  }

  #resume(): boolean {
    const { session } = this.#host;
    if (!session.isOpen || this.#lastEventId === undefined || this.#resumption) return false;
    this.#resumption = this.#host.resume(this, this.#lastEventId, this.#told);
    return true;
  }

  #within(milliseconds: number, action: () => void): void {
    if (!this.#isOver) this.#timer = setTimeout(action, milliseconds);
  }
}

function notMessages(head: ResponseHead, name: string): ConnectionError {
  const { status } = head;
  const text = `${name} answered with ${typeName(head)}, not with messages: is it the URL of an MCP server?`;
  return new ConnectionError('malformed', text, { status });
}
