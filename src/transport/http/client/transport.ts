/** Streamable HTTP: every message is a POST, and what comes back for it is one message or a stream of them. */

import { requestSender } from '#send-request';
import {
  type Authorizer,
  type CheckedHttpOptions,
  type HttpClientOptions,
  nameOfUrl,
} from '../../../client/http-options.ts';
import { ConnectionError, ParseError, toError } from '../../../jsonrpc/errors.ts';
import { type ReceivedLimits, receivedLimits } from '../../../jsonrpc/json/json-limits.ts';
import { MessageReader } from '../../../jsonrpc/json/message-reader.ts';
import { messageObjectOf, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import { isRequest, type Message } from '../../../jsonrpc/message.ts';
import { Slots } from '../../../jsonrpc/slot-map.ts';
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

/** Options of the transport. */
export interface HttpTransportOptions extends Omit<HttpClientOptions, 'headers'>, CheckedHttpOptions {
  /** Says what lets requests in. */
  readonly authorize?: Authorizer | undefined;
}

/** Bytes of one received message. */
export const MAX_RESPONSE: number = 16 * 1024 * 1024;
// What is on its way when the end comes, and the end of the session itself, hold nobody up for longer.
const PARTING_MS = 1000;
// Requests that are on their way when a session is found to be lost are most often told the same a moment later.
export const SETTLING_MS = 250;

/** A transport to the server at this URL. */
export async function httpTransport(url: URL, options: HttpTransportOptions = {}): Promise<Transport> {
  return new HttpTransport(await requesterFor(url, options), options);
}

/** What makes the requests to the server at this URL. */
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
  readonly #posts = new Slots<Post>();
  #receiver: Receiver | undefined;
  #state: 'new' | 'open' | 'losing' | 'closed' = 'new';
  #standing: EventStream | undefined;
  /** Those that were told that there is no such session. */
  readonly #unknown = new Set<Post>();
  /** Messages that want no answer, until they are accepted. */
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

  // A session outlives its connections, so there hanging up means nothing.
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
      // The request was carried out as far as anybody knows, so it is not among those that were not.
      if (cause.status === 404) this.#lose();
      else if (cause.code === 'malformed' || cause.code === 'too-large') post.end(cause);
      else post.end(cutOff(this.requester.name, new Error('The stream could not be resumed', { cause })));
    };
    return restOfStream(this, { onEvent, onGiveUp }, lastEventId, told);
  }

  onUnknownSession(post: Post): void {
    // It is being closed, and nobody opens another.
    if (this.#state === 'closed') post.end(sessionLost(this.requester.name, 404));
    else this.#unknown.add(post);
    this.#lose();
  }

  onAnswering(): void {
    if (this.#state === 'losing') this.#loseIfSettled();
  }

  onOver(post: Post): void {
    if (post.place !== undefined) this.#posts.remove(post.place);
    post.place = undefined;
    if (this.#state === 'losing') this.#loseIfSettled();
  }

  #post(post: Post): void {
    post.place = this.#posts.add(post);
    // What is not even sent was not carried out either.
    if (this.#state === 'losing') this.#unknown.add(post);
    else post.send();
  }

  #tell(message: Message, { headers, repeatable, onEnd }: SendOptions): Promise<void> {
    let settle: ((cause?: Error) => void) | undefined;
    // Made before the promise, so that what JSON cannot say is thrown at once.
    const post = new Post(this, message, {
      headers,
      repeatable,
      onEnd: (cause) => {
        onEnd?.(cause);
        settle?.(cause);
      },
    });
    const telling = new Promise<void>((resolve, reject) => {
      // That the session is lost is told once, and not of each message that shows it.
      settle = (cause) => (cause && !isSessionLost(cause) ? reject(cause) : resolve());
    }).then(() => this.#told(message));
    this.#telling.add(telling);
    this.#post(post);
    return telling.finally(() => this.#telling.delete(telling));
  }

  #told(message: Message): void {
    if ('method' in message && message.method === 'notifications/initialized') this.#stand();
  }

  // Many servers have none, and everything but news that belongs to no request works without.
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
        // The server holds on to a stream whose connection is lost; that of a new session is another.
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

  // An answer that comes here nevertheless is not waited for elsewhere any more.
  #hear(payload: Payload): void {
    this.deliver(payload);
    if (messageObjectOf(payload)) return;
    for (const post of [...this.#posts]) {
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
    for (const post of this.#posts) if (!post.isHeard && !this.#unknown.has(post)) return;
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
    for (const post of [...this.#posts]) post.end(new ConnectionError('closed', 'The connection was closed'));
  }

  async #disconnect(): Promise<void> {
    const wasOpen = this.connected;
    const hasSession = this.#state === 'open';
    this.#close();
    for (const post of [...this.#posts]) {
      if (isRequest(post.message)) post.end(new ConnectionError('closed', 'The connection was closed'));
    }
    if (hasSession) await this.#part();
    this.#endPosts();
    this.requester.sender.close();
    if (wasOpen) this.#receiver?.onClose();
  }

  // What was told arrives before the end does, if the server is quick enough.
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
    // Whatever the answer is, there is nothing left to be done about it.
    const reader = { onHead: done, onChunk: () => {}, onEnd: done, onFail: done };
    return this.requester.send({ method: 'DELETE', headers, repeatable: true, isBackground: true }, reader);
  }
}

// A server that has no such stream says so with a status, and that is all right unless somebody wants to hear of changes.
function isWorthTelling({ status }: ConnectionError, wasOpen: boolean): boolean {
  return status !== 405 && (wasOpen || (status !== 404 && status !== 400));
}

function notHeard(cause: ConnectionError, since: string): ConnectionError {
  return new ConnectionError('failed', `What belongs to no call is not heard ${since}: ${cause.message}`, { cause });
}
