/** HTTP+SSE, the transport of revision 2024-11-05: the server sends on one GET stream, the client sends by POST. */

import { nameOfUrl } from '../../../client/http-options.ts';
import { ConnectionError, ParseError, toError } from '../../../jsonrpc/errors.ts';
import { receivedLimits } from '../../../jsonrpc/json/message-limits.ts';
import { MessageReader } from '../../../jsonrpc/json/message-reader.ts';
import type { Batch, Payload } from '../../../jsonrpc/json/parse-message.ts';
import { type Id, isBatch, isRequest, isResponse, type Message, serialize } from '../../../jsonrpc/message.ts';
import type { Receiver, SendOptions, Transport } from '../../../jsonrpc/transport.ts';
import { EventParser, type ServerEvent } from './event-parser.ts';
import { ACCEPT_MS, cutOff, fellSilent, notAccepted, sessionLost, statusError } from './failures.ts';
import { KeepAlives } from './keep-alives.ts';
import { bodyKind, typeName } from './media-type.ts';
import { messageHeaders } from './request-headers.ts';
import type { Requester } from './requester.ts';
import type { ResponseHead } from './sender.ts';
import { HttpSession } from './session.ts';
import { type HttpTransportOptions, MAX_RESPONSE, requesterFor, SETTLING_MS } from './transport.ts';

/** Creates an HTTP+SSE transport. `url` is the URL of the server's SSE stream. */
export async function oldHttpTransport(url: URL, options: HttpTransportOptions = {}): Promise<Transport> {
  return new OldHttpTransport(await requesterFor(url, options), url, options);
}

class OldHttpTransport implements Transport {
  readonly isRequestScoped = true;
  readonly cancelsBy = 'notification';
  readonly #requester: Requester;
  readonly #url: URL;
  readonly #maxResponseBytes: number;
  readonly #reader: MessageReader;
  readonly #session = new HttpSession();
  /** Requests without a response, by id. */
  readonly #waiting = new Map<Id, { readonly options: SendOptions; readonly onAbort: () => void }>();
  readonly #hangUps = new Set<() => void>();
  /** POSTs whose status has not arrived. Each function settles the promise of its POST. */
  readonly #posting = new Set<() => void>();
  /** Ids of requests that the server refused with 404, or that were not sent after the first 404: the session is lost. */
  readonly #unknown = new Set<Id>();
  /** Runs from the first 404 on. Other open POSTs usually get a 404 shortly after. */
  #settling: ReturnType<typeof setTimeout> | undefined;
  readonly #keepAlives = new KeepAlives(() => this.#loseIfIdle());
  #state: 'new' | 'opening' | 'open' | 'closed' = 'new';
  #receiver: Receiver | undefined;
  #endpoint: URL | undefined;
  #parser: EventParser | undefined;
  #onOpen: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(requester: Requester, url: URL, options: HttpTransportOptions) {
    this.#requester = requester;
    this.#url = url;
    this.#maxResponseBytes = options.maxResponseBytes ?? MAX_RESPONSE;
    this.#reader = new MessageReader(receivedLimits(this.#maxResponseBytes, 'maxResponseBytes'));
  }

  get connected(): boolean {
    return this.#state === 'open';
  }

  async connect(receiver: Receiver): Promise<void> {
    if (this.#state !== 'new') throw new ConnectionError('failed', 'This transport was connected before');
    this.#state = 'opening';
    this.#receiver = receiver;
    await new Promise<void>((resolve, reject) => {
      this.#onOpen = { resolve, reject };
      const asked = { method: 'GET', headers: { accept: 'text/event-stream' }, repeatable: true } as const;
      this.#hangUps.add(
        this.#requester.send(asked, {
          onHead: (head) => this.#read(head),
          onChunk: (bytes) => {
            this.#keepAlives.onBytes();
            return this.#parser?.push(bytes);
          },
          onEnd: () => this.#end(this.#lost()),
          onFail: (error) => this.#end(this.#lost(error)),
        }),
      );
    });
  }

  send(message: Message | readonly Message[], options: SendOptions = {}): void | Promise<void> {
    if (this.#state !== 'open') throw new ConnectionError('closed', 'The connection is closed');
    if (isBatch(message)) throw new ConnectionError('failed', 'Over HTTP every message is sent by itself');
    const body = serialize(message);
    if (!isRequest(message)) return this.#post(message, body, options);
    const { id } = message;
    if (message.method === 'initialize') this.#session.begin(message);
    const onAbort = (): void => void this.#waiting.delete(id);
    this.#waiting.set(id, { options, onAbort });
    options.signal?.addEventListener('abort', onAbort);
    if (this.#settling) this.#unknown.add(id);
    else this.#post(message, body, options).catch((error: Error) => this.#over(id, error));
  }

  async disconnect(): Promise<void> {
    this.#end(undefined);
    this.#requester.sender.close();
  }

  // Resolves when the server accepts the POST. The response to a request arrives on the GET stream.
  #post(message: Message, body: string, { headers: added, repeatable = false }: SendOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const { name } = this.#requester;
      const headers = messageHeaders(message, this.#session);
      const url = this.#endpoint ?? this.#url;
      const settle = (error?: Error): void => {
        if (error) reject(error);
        else resolve();
        if (this.#posting.delete(settle) && this.#posting.size === 0 && this.#settling) this.#loseNow();
      };
      const finish = (error?: Error): void => {
        clearTimeout(timer);
        hangUp();
        this.#hangUps.delete(finish);
        settle(error);
      };
      this.#posting.add(settle);
      // Limits the wait for the status of the POST. The response to a request has the timeout of its call.
      const timer = setTimeout(() => finish(notAccepted(name)), ACCEPT_MS);
      const hangUp = this.#requester.send(
        { method: 'POST', url, headers, added, body, repeatable },
        {
          onHead: (head) => {
            const isUnknownSession = head.status === 404;
            if (isUnknownSession) this.#lose(message);
            if (head.status >= 400) finish(isUnknownSession ? undefined : statusError(head, name));
            // The POST is accepted. Its body is read to the end and ignored, so that the connection can be reused.
            else settle();
          },
          onChunk: () => {},
          onEnd: () => finish(),
          onFail: finish,
        },
      );
      this.#hangUps.add(finish);
    });
  }

  #read(head: ResponseHead): void {
    const { name } = this.#requester;
    if (head.status !== 200) this.#end(statusError(head, name));
    else if (bodyKind(head) !== 'events') {
      const text = `${name} answered with ${typeName(head)}, not with a stream of events`;
      this.#end(new ConnectionError('malformed', text, { status: head.status }));
    } else {
      const onEvent = (event: ServerEvent): void => this.#take(event);
      const onComment = (text: string): void => this.#keepAlives.onComment(text);
      this.#parser = new EventParser(
        { onEvent, onRetry: () => {}, onComment, onFault: (error) => this.#break(error) },
        this.#maxResponseBytes,
      );
    }
  }

  // A 404 means that the session is lost: the server did not process this message, and would refuse all later ones.
  #lose(message: Message): void {
    if (isRequest(message)) this.#unknown.add(message.id);
    this.#settling ??= setTimeout(() => this.#loseNow(), SETTLING_MS);
  }

  #loseNow(): void {
    if (this.#state !== 'open') return;
    const { name } = this.#requester;
    for (const id of this.#unknown) this.#over(id, sessionLost(name, 404));
    this.#end(sessionLost(name));
  }

  // All requests fail: the unreadable event names no request, and the stream cannot be read any further.
  #break(error: Error): void {
    for (const id of [...this.#waiting.keys()]) this.#over(id, error);
    this.#end(this.#state === 'open' ? sessionLost(this.#requester.name) : error);
  }

  // A server that is busy with a request can stop sending keep-alives, so silence counts only without open requests.
  #loseIfIdle(): void {
    if (this.#waiting.size === 0) this.#end(this.#lost(fellSilent(this.#requester.name)));
  }

  #lost(cause?: Error): Error {
    const { name } = this.#requester;
    return this.#state === 'open' ? sessionLost(name) : cutOff(name, cause);
  }

  #take({ type, data }: ServerEvent): void {
    if (type === 'endpoint' && this.#state === 'opening') this.#open(data);
    else if (type === 'message' && this.#state === 'open' && data !== '') {
      const payload = this.#reader.read(data);
      if (payload) this.#deliver(payload);
    }
  }

  #open(endpoint: string): void {
    const url = URL.canParse(endpoint, this.#url.href) ? new URL(endpoint, this.#url.href) : undefined;
    // Another origin would receive messages and credentials that are meant for this server.
    if (url?.origin !== this.#url.origin) {
      const text = `${nameOfUrl(this.#url)} names an endpoint that is not on its own origin`;
      this.#end(new ConnectionError('refused', text));
      return;
    }
    this.#endpoint = url;
    this.#state = 'open';
    this.#onOpen?.resolve();
  }

  #deliver(payload: Payload): void {
    const all = isBatch(payload) ? (payload as Batch) : [payload as Message | ParseError];
    for (const one of all) if (!(one instanceof ParseError) && isResponse(one)) this.#session.take(one);
    try {
      this.#receiver?.onMessage(payload);
    } catch (error) {
      this.#receiver?.onError(toError(error, 'The receiver failed'));
    }
    for (const one of all) if ((one instanceof ParseError || isResponse(one)) && one.id != null) this.#over(one.id);
  }

  #over(id: Id, cause?: Error): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    const { options, onAbort } = waiting;
    this.#waiting.delete(id);
    options.signal?.removeEventListener('abort', onAbort);
    options.onEnd?.(cause);
  }

  #end(cause: Error | undefined): void {
    if (this.#state === 'closed') return;
    const wasOpen = this.#state === 'open';
    this.#state = 'closed';
    clearTimeout(this.#settling);
    this.#keepAlives.stop();
    for (const hangUp of [...this.#hangUps]) hangUp();
    this.#hangUps.clear();
    this.#waiting.clear();
    this.#onOpen?.reject(cause ?? new ConnectionError('closed', 'The connection was closed'));
    if (wasOpen) this.#receiver?.onClose(cause);
  }
}
