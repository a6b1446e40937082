/** `Requester`: sends HTTP requests to one server, with credentials; follows redirects and retries after 401 and 403. */

import type {
  Authorizer,
  AuthRequest,
  AuthResponse,
  CheckedHttpOptions,
  HeaderFields,
} from '../../../client/http-options.ts';
import { ConnectionError, McpError, toError } from '../../../jsonrpc/errors.ts';
import { cutOff, noResponse } from './failures.ts';
import { MAX_REDIRECTS, redirectTarget, tooManyRedirects } from './redirect.ts';
import { mergedHeaders } from './request-headers.ts';
import type { OutgoingRequest, RequestSender, ResponseHead, ResponseReader } from './sender.ts';

/** A request to be sent by a `Requester`. */
export interface Asked {
  readonly method: OutgoingRequest['method'];
  /** Default: the URL of the server. */
  readonly url?: URL;
  /** Header fields of the protocol. They override all other header fields. */
  readonly headers: HeaderFields;
  /** Header fields that the user added to this request. */
  readonly added?: HeaderFields | undefined;
  readonly body?: string;
  readonly repeatable: boolean;
  /** True if the request belongs to no call. It must not prompt the user to sign in. */
  readonly isBackground?: boolean;
}

export interface RequesterOptions extends CheckedHttpOptions {
  readonly authorize?: Authorizer | undefined;
}

// Maximum number of retries of one request after a 401 or 403.
const MAX_CHALLENGES = 5;

/** Sends requests to one URL, and to other URLs of the same origin. */
export class Requester {
  /** Name of the server in error messages. */
  readonly name: string;
  readonly sender: RequestSender;
  readonly options: RequesterOptions;
  /** URL of the server. A redirect with status 308 changes it for later requests. */
  url: URL;

  constructor(url: URL, name: string, sender: RequestSender, options: RequesterOptions) {
    this.url = url;
    this.name = name;
    this.sender = sender;
    this.options = options;
  }

  /** Sends a request. Failures go to `reader.onFail` as `ConnectionError` or `AuthError`. The returned function aborts. */
  send(asked: Asked, reader: ResponseReader): () => void {
    const journey = new Journey(this, asked, reader);
    journey.begin();
    return () => journey.hangUp();
  }
}

/** One request, which is sent again after redirects and challenges until a response can be passed to the reader. */
class Journey implements ResponseReader, AuthRequest {
  readonly #requester: Requester;
  readonly #asked: Asked;
  readonly #reader: ResponseReader;
  #url: URL;
  #hangUp: (() => void) | undefined;
  #redirects = 0;
  #challenges = 0;
  /** Header fields that the authorizer returned for the last attempt. */
  #allowed: HeaderFields = {};
  #isOver = false;
  #hasHead = false;
  /** True while the received response is ignored, because it is a redirect or a challenge. */
  #isAside = false;
  /** Created when the authorizer reads `signal`, because most requests do not need it. */
  #abort: AbortController | undefined;

  constructor(requester: Requester, asked: Asked, reader: ResponseReader) {
    this.#requester = requester;
    this.#asked = asked;
    this.#reader = reader;
    this.#url = asked.url ?? requester.url;
  }

  get method(): string {
    return this.#asked.method;
  }

  get url(): URL {
    return this.#url;
  }

  get isBackground(): boolean {
    return this.#asked.isBackground === true;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isOver) this.#abort.abort(givenUp());
    return this.#abort.signal;
  }

  begin(): void {
    const { headers, authorize } = this.#requester.options;
    try {
      const given = typeof headers === 'function' ? headers() : headers;
      const allowed = authorize?.headers(this);
      if (given instanceof Promise || allowed instanceof Promise) void this.#beginLater(given, allowed);
      else this.#send(given, allowed);
    } catch (error) {
      // Failures are always reported asynchronously, even if `headers` throws synchronously.
      queueMicrotask(() => this.#stop(notSent(error)));
    }
  }

  hangUp(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hangUp?.();
    this.#abort?.abort(givenUp());
  }

  onHead(head: ResponseHead): void {
    const { status } = head;
    const { authorize } = this.#requester.options;
    if (status !== 401 && status !== 403) authorize?.answered?.(this.#factsOf(head));
    if (status >= 300 && status < 400) this.#redirect(head);
    else if ((status === 401 || status === 403) && authorize) void this.#challenge(authorize, head, status);
    else this.#pass(head);
  }

  onChunk(bytes: Uint8Array): void | Promise<void> {
    return this.#isOver || this.#isAside ? undefined : this.#reader.onChunk(bytes);
  }

  onEnd(): void {
    if (this.#isOver || this.#isAside) return;
    this.#isOver = true;
    this.#reader.onEnd();
  }

  onFail(error: Error): void {
    const { name } = this.#requester;
    if (!this.#isAside) this.#stop(this.#hasHead ? cutOff(name, error) : noResponse(error, name));
  }

  async #beginLater(
    given: HeaderFields | undefined | Promise<HeaderFields>,
    allowed: HeaderFields | undefined | Promise<HeaderFields>,
  ): Promise<void> {
    try {
      const [fields, more] = await Promise.all([given, allowed]);
      if (!this.#isOver) this.#send(fields, more);
    } catch (error) {
      this.#stop(notSent(error));
    }
  }

  #send(given: HeaderFields | undefined, allowed: HeaderFields | undefined): void {
    const { method, headers: own, added, body, repeatable } = this.#asked;
    const headers = mergedHeaders(own, given, added, allowed);
    this.#allowed = allowed ?? {};
    this.#isAside = false;
    this.#hangUp = this.#requester.sender.send({ method, url: this.#url, headers, body, repeatable }, this);
  }

  #pass(head: ResponseHead): void {
    this.#hasHead = true;
    if (!this.#isOver) this.#reader.onHead(head);
  }

  #redirect(head: ResponseHead): void {
    const to = redirectTarget(head, this.#url);
    if (to instanceof ConnectionError) this.#stop(to);
    else if (++this.#redirects > MAX_REDIRECTS) this.#stop(tooManyRedirects(head.status, this.#url, to));
    else {
      if (head.status === 308 && this.#url === this.#requester.url) this.#requester.url = to;
      this.#leave();
      this.#url = to;
      this.begin();
    }
  }

  #factsOf(head: ResponseHead): AuthResponse {
    const { status } = head;
    const sent = this.#allowed;
    return { method: this.#asked.method, url: this.#url, status, header: (name) => head.header(name), sent };
  }

  async #challenge(authorize: Authorizer, head: ResponseHead, status: 401 | 403): Promise<void> {
    const tries = this.#challenges++;
    if (tries >= MAX_CHALLENGES) return this.#pass(head);
    this.#leave();
    try {
      const { isBackground, signal } = this;
      const isWorthIt = await authorize.onChallenge({ ...this.#factsOf(head), status, tries, isBackground, signal });
      if (this.#isOver) return;
      if (isWorthIt) this.begin();
      else {
        this.#isAside = false;
        this.#pass(head);
        this.onEnd();
      }
    } catch (error) {
      this.#stop(notSent(error));
    }
  }

  // Closes the connection of a redirect or challenge. Reading the body, to reuse the connection, would take longer.
  #leave(): void {
    this.#isAside = true;
    this.#hangUp?.();
  }

  #stop(error: Error): void {
    if (this.#isOver) return;
    this.hangUp();
    this.#reader.onFail(error);
  }
}

function givenUp(): ConnectionError {
  return new ConnectionError('closed', 'Nobody waits for this request any more');
}

function notSent(thrown: unknown): Error {
  const error = toError(thrown);
  if (error instanceof McpError) return error;
  return new ConnectionError('failed', `The request could not be sent: ${error.message}`, { cause: error });
}
