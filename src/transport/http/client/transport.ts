/** Streamable HTTP: each message is a POST, answered by one JSON message or by an SSE stream of messages. */

import { requestSender } from '#send-request';
import {
  type Authorizer,
  type CheckedHttpOptions,
  type HttpClientOptions,
  nameOfUrl,
} from '../../../client/http-options.ts';
import { ConnectionError, ParseError, toError } from '../../../jsonrpc/errors.ts';
import { type ReceivedLimits, receivedLimits } from '../../../jsonrpc/json/message-limits.ts';
import { MessageReader } from '../../../jsonrpc/json/message-reader.ts';
import { messageObjectOf, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import { isRequest, type Message } from '../../../jsonrpc/message.ts';
import { SlotMap } from '../../../jsonrpc/slot-map.ts';
import type { Receiver, SendOptions, Transport } from '../../../jsonrpc/transport.ts';
import type { ServerEvent } from './event-parser.ts';
import type { EventStream } from './event-stream.ts';
import { cutOff, isSessionLost, sessionLost } from './failures.ts';
import { answerIn } from './messages.ts';
import { Post, type PostHost } from './post.ts';
import { Requester } from './requester.ts';
import { requestSender as fetchSender } from './send-fetch.ts';
import { HttpSession } from './session.ts';
import { restOfStream, type StreamsHost, standingStream } from './streams.ts';

export interface HttpTransportOptions extends Omit<HttpClientOptions, 'headers'>, CheckedHttpOptions {
  /** Adds credentials to requests and handles 401 and 403. Default: none. */
  readonly authorize?: Authorizer | undefined;
}

/** Default of `maxResponseBytes`, the maximum size of a received message in bytes. */
export const MAX_RESPONSE: number = 16 * 1024 * 1024;
// Timeout of `disconnect` for pending notifications and for the DELETE that ends the session, in milliseconds.
const PARTING_MS = 1000;
// Time from the first 404 to the end of a lost session, in milliseconds: other open requests usually get a 404 as well.
export const SETTLING_MS = 250;

/** Creates a Streamable HTTP transport to the server at `url`. */
export async function httpTransport(url: URL, options: HttpTransportOptions = {}): Promise<Transport> {
  return new HttpTransport(await requesterFor(url, options), options);
}

/** Creates the requester for a URL, over the option `fetch` or the runtime's HTTP client. */
export async function requesterFor(url: URL, options: HttpTransportOptions): Promise<Requester> {
  const sender = await (options.fetch ? fetchSender(url, options.fetch) : requestSender(url));
  return new Requester(url, nameOfUrl(url), sender, options);
}

class HttpTransport implements Transport, PostHost, StreamsHost {
  readonly isRequestScoped = true;
  readonly requester: Requester;
  readonly session: HttpSession = new HttpSession();
  readonly maxResponseBytes: number;
  readonly limits: ReceivedLimits;
  readonly reconnect: HttpClientOptions['reconnect'];
  readonly #posts = new SlotMap<number, Post>();
  #lastPost = 0;
  #receiver: Receiver | undefined;
  #state: 'new' | 'open' | 'losing' | 'closed' = 'new';
  #standing: EventStream | undefined;
  /** POSTs that were refused with 404 or not sent, because the server does not know the session. */
  readonly #unknown = new Set<Post>();
  /** Notifications and responses that the server has not accepted yet. */
  readonly #telling = new Set<Promise<void>>();
  #settling: ReturnType<typeof setTimeout> | undefined;
  #toldOfNoise = false;
  #disconnected: Promise<void> | undefined;

  constructor(requester: Requester, options: HttpTransportOptions) {
    this.requester = requester;
    this.maxResponseBytes = options.maxResponseBytes ?? MAX_RESPONSE;
    this.limits = receivedLimits(this.maxResponseBytes, 'maxResponseBytes');
    this.reconnect = options.reconnect;
  }

  get connected(): boolean {
    return this.#state === 'open' || this.#state === 'losing';
  }

  // A session outlives its connections: closing the connection of a request does not cancel the request.
  get cancelsBy(): 'notification' | 'hang-up' {
    return this.session.isOpen ? 'notification' : 'hang-up';
  }

  async connect(receiver: Receiver): Promise<void> {
    if (this.#state !== 'new') throw new ConnectionError('failed', 'This transport was connected before');
    this.#state = 'open';
    this.#receiver = receiver;
  }

  send(message: Message | readonly Message[], options: SendOptions = {}): void | Promise<void> {
    if (this.#state === 'new') throw new ConnectionError('not-connected', 'The transport is not connected');
    if (this.#state === 'closed') throw new ConnectionError('closed', 'The connection is closed');
    if (Array.isArray(message)) throw new ConnectionError('failed', 'Over HTTP every message is sent by itself');
    const one = message as Message;
    if (isRequest(one)) this.#post(new Post(this, one, options));
    else if (this.#state === 'open') return this.#tell(one, options);
  }

  disconnect(): Promise<void> {
    this.#disconnected ??= this.#disconnect();
    return this.#disconnected;
  }

  deliver(payload: Payload): void {
    try {
      const isNoise = payload instanceof ParseError && payload.code === 'MalformedJson' && payload.id === undefined;
      if (!isNoise) this.#receiver?.onMessage(payload);
      else if (!this.#toldOfNoise) this.#receiver?.onError(new ConnectionError('malformed', payload.message));
      if (isNoise) this.#toldOfNoise = true;
    } catch (error) {
      this.#receiver?.onError(toError(error, 'The receiver failed'));
    }
  }

  resume(post: Post, lastEventId: string, told: number | undefined): EventStream {
    const onEvent = (event: ServerEvent): void => post.takeEvent(event);
    const onGiveUp = (cause: ConnectionError): void => {
      // The server accepted the request before, so the request does not count as refused.
      if (cause.status === 404) this.#lose();
      else if (cause.code === 'malformed' || cause.code === 'too-large') post.end(cause);
      else post.end(cutOff(this.requester.name, new Error('The stream could not be resumed', { cause })));
    };
    return restOfStream(this, { onEvent, onGiveUp }, lastEventId, told);
  }

  onUnknownSession(post: Post): void {
    // While the transport disconnects, no new session follows, so the message fails at once.
    if (this.#state === 'closed') post.end(sessionLost(this.requester.name, 404));
    else this.#unknown.add(post);
    this.#lose();
  }

  onAnswering(): void {
    if (this.#state === 'losing') this.#loseIfSettled();
  }

  onOver(post: Post): void {
    this.#posts.delete(post.number);
    if (this.#state === 'losing') this.#loseIfSettled();
  }

  #post(post: Post): void {
    post.number = ++this.#lastPost;
    this.#posts.set(post.number, post);
    // The session is being lost: the request is not sent, and fails as not executed.
    if (this.#state === 'losing') this.#unknown.add(post);
    else post.send();
  }

  #tell(message: Message, { headers, repeatable, onEnd }: SendOptions): Promise<void> {
    let settle: ((cause?: Error) => void) | undefined;
    // Created before the promise, so that an error of serialization is thrown synchronously.
    const post = new Post(this, message, {
      headers,
      repeatable,
      onEnd: (cause) => {
        onEnd?.(cause);
        settle?.(cause);
      },
    });
    const telling = new Promise<void>((resolve, reject) => {
      // `onClose` reports a lost session once. The messages that failed by it do not report it again.
      settle = (cause) => (cause && !isSessionLost(cause) ? reject(cause) : resolve());
    }).then(() => this.#told(message));
    this.#telling.add(telling);
    this.#post(post);
    return telling.finally(() => this.#telling.delete(telling));
  }

  #told(message: Message): void {
    if ('method' in message && message.method === 'notifications/initialized') this.#stand();
  }

  // Opens the GET stream for server messages that belong to no request. Servers need not support it.
  #stand(): void {
    if (this.#state !== 'open' || this.#standing) return;
    let wasOpen = false;
    const reader = new MessageReader(this.limits);
    this.#standing = standingStream(this, {
      onOpen: () => {
        wasOpen = true;
      },
      onEvent: ({ type, data }) => {
        const payload = type === 'message' && data !== '' ? reader.read(data) : undefined;
        if (payload) this.#hear(payload);
      },
      onGap: () => this.#receiver?.onMessagesMissed?.(),
      onTrouble: (cause) => {
        // Status 409: the server still holds the stream of a lost connection. A new session gets a new stream.
        if (cause.status === 409 && wasOpen && this.#posts.size === 0) this.#lose();
        else this.#receiver?.onError(notHeard(cause, 'at the moment'));
      },
      onGiveUp: (cause) => {
        if (cause.status === 404 && wasOpen && this.session.id !== undefined) this.#lose();
        else if (isWorthTelling(cause, wasOpen)) this.#receiver?.onError(notHeard(cause, 'any more'));
        else this.#receiver?.onPushUnavailable?.(cause);
      },
    });
  }

  // A response on the GET stream also ends the exchange of the POST that waits for it.
  #hear(payload: Payload): void {
    this.deliver(payload);
    if (messageObjectOf(payload)) return;
    for (const post of this.#posts.values()) {
      if (isRequest(post.message) && answerIn(payload, post.message.id)) post.end(undefined);
    }
  }

  #lose(): void {
    if (this.#state !== 'open' && this.#state !== 'losing') return;
    if (this.#state === 'open') this.#settling = setTimeout(() => this.#lost(), SETTLING_MS);
    this.#state = 'losing';
    this.#loseIfSettled();
  }

  #loseIfSettled(): void {
    for (const post of this.#posts.values()) if (!post.isHeard && !this.#unknown.has(post)) return;
    this.#lost();
  }

  #lost(): void {
    if (this.#state !== 'losing') return;
    const { name } = this.requester;
    this.#close();
    for (const post of this.#unknown) post.end(sessionLost(name, 404));
    this.#receiver?.onClose(sessionLost(name));
    this.#endPosts();
  }

  #close(): void {
    this.#state = 'closed';
    clearTimeout(this.#settling);
    this.#standing?.stop();
  }

  #endPosts(): void {
    for (const post of this.#posts.values()) post.end(new ConnectionError('closed', 'The connection was closed'));
  }

  async #disconnect(): Promise<void> {
    const wasOpen = this.connected;
    const hasSession = this.#state === 'open';
    this.#close();
    for (const post of this.#posts.values()) {
      if (isRequest(post.message)) post.end(new ConnectionError('closed', 'The connection was closed'));
    }
    if (hasSession) await this.#part();
    this.#endPosts();
    this.requester.sender.close();
    if (wasOpen) this.#receiver?.onClose();
  }

  // Waits until the server has accepted pending notifications, then ends the session by DELETE. Takes at most 1 s.
  async #part(): Promise<void> {
    let hangUp: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PARTING_MS);
    });
    await Promise.race([late, Promise.allSettled(this.#telling)]);
    const ended = new Promise<void>((resolve) => {
      hangUp = this.#endSession(resolve);
    });
    await Promise.race([late, ended]);
    clearTimeout(timer);
    hangUp?.();
  }

  #endSession(done: () => void): (() => void) | undefined {
    if (this.session.id === undefined) return void done();
    const headers: Record<string, string> = {};
    this.session.addHeaders(headers);
    // The outcome of the DELETE does not matter.
    const reader = { onHead: done, onChunk: () => {}, onEnd: done, onFail: done };
    return this.requester.send({ method: 'DELETE', headers, repeatable: true, isBackground: true }, reader);
  }
}

// False if the server has no GET stream: it answers 405, or before the stream was ever open 404 or 400.
function isWorthTelling({ status }: ConnectionError, wasOpen: boolean): boolean {
  return status !== 405 && (wasOpen || (status !== 404 && status !== 400));
}

function notHeard(cause: ConnectionError, since: string): ConnectionError {
  return new ConnectionError('failed', `What belongs to no call is not heard ${since}: ${cause.message}`, { cause });
}
