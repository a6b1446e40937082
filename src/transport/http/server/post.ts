/** `Post`: the response to a POST, as JSON or as an SSE stream. The stream opens when a message precedes the response. */

import { errorResponse, RpcError } from '../../../jsonrpc/errors.ts';
import { type Id, isBatch, isRequest, type Message, type Response, serialize } from '../../../jsonrpc/message.ts';
import type { Principal } from '../../../protocol/principal.ts';
import type { Session } from '../../../protocol/session.ts';
import type { ExchangeConnection } from '../../../server/connection/exchange.ts';
import { timerMs } from '../../../timing/timer-range.ts';
import { EVENT_STREAM, KEEP_ALIVE, keepAlivePromise, messageEvent } from './events.ts';
import type { Beating, Heartbeat } from './heartbeat.ts';
import type { Fields, Outlet } from './http-exchange.ts';
import { Reader } from './reader.ts';
import type { Refusal } from './refusal.ts';
import { tooManyRequestsFields } from './too-many-requests.ts';
import { openStream, refuse, reply, replyJson, type Visit } from './visit.ts';

// Header fields that contain credentials.
const PROOFS: ReadonlySet<string> = new Set(['authorization', 'dpop']);

export interface PostHost {
  readonly heartbeat: Heartbeat;
  /** Reports a handler's message or result that cannot be encoded as JSON. */
  unencodable(cause: unknown): void;
}

/** Stores the events of a POST's SSE stream, so that the client can resume the stream after a lost connection. */
export interface Recording {
  /** Returns the event with which the stream starts; undefined if the revision has none. */
  begin(): string | undefined;
  /** Stores an event. Returns its event id. */
  record(json: string, isLast: boolean): string;
  /** Stores the end of the stream, for a client that resumes it on another connection. */
  close(): void;
  /** Releases the stream after the POST has ended, and rejects pending input requests. */
  end(): void;
  /** Sends an input request to the client and waits for the input response. */
  readonly ask: ExchangeConnection['ask'];
  /** Adds `bytes` to the memory count of the session. Returns false if a limit does not allow that. */
  grow(bytes: number): boolean;
}

/** One POST, which gets one response: a complete body, or the last event of an SSE stream. */
export class Post implements ExchangeConnection, Beating {
  readonly #visit: Visit;
  readonly #host: PostHost;
  readonly #recording: Recording | undefined;
  /** Additional header fields of the response. */
  fields: Fields | undefined;
  /** True: messages before the response are dropped, and no SSE stream opens. For `initialize` and session notifications. */
  isQuiet = false;
  session: Session | undefined;
  /** The session that an `initialize` request in this POST has opened. */
  opened: Session | undefined;
  /** Milliseconds after which the SSE stream is closed if the response is not sent yet. Undefined: no limit. */
  maxStreamMs: number | undefined = undefined;
  /** Keep-alive interval that a long-lived stream announces to its client, in milliseconds. */
  keepAliveMs: number | undefined;
  #headers: ReadonlyMap<string, string> | undefined;
  #reader: Reader | undefined;
  #limit: ReturnType<typeof setTimeout> | undefined;
  #beats = 0;
  #isOver = false;

  constructor(visit: Visit, host: PostHost, session?: Session, recording?: Recording) {
    this.#visit = visit;
    this.#host = host;
    this.session = session;
    this.#recording = recording;
  }

  get principal(): Principal | undefined {
    return this.#visit.principal;
  }

  get trusted(): boolean {
    return false;
  }

  get forceReruns(): boolean {
    return false;
  }

  /** Undefined: a response after progress needs no delay, because Streamable HTTP clients read event by event. */
  get turn(): undefined {
    return undefined;
  }

  get caller(): string {
    return this.#visit.caller;
  }

  get headers(): ReadonlyMap<string, string> {
    const { http, principal } = this.#visit;
    if (!principal) return http.headers;
    // Handlers get the principal instead of the credentials, so that they cannot pass the token on.
    this.#headers ??= new Map([...http.headers].filter(([name]) => !PROOFS.has(name)));
    return this.#headers;
  }

  get ask(): ExchangeConnection['ask'] {
    return this.#canStream ? this.#recording?.ask : undefined;
  }

  get isCongested(): boolean {
    return this.#reader?.isSlow === true;
  }

  openSession(session: Session): void {
    this.opened = session;
    this.session = session;
  }

  /** True without a stored session, because there is nothing to count. */
  growSession(bytes: number): boolean {
    return this.#recording?.grow(bytes) ?? true;
  }

  /** True after the response, or after the client has disconnected: nothing more is sent. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends keep-alives until the response. Calls `onClose` when the response has ended or the client has disconnected. */
  wait(onClose: () => void): void {
    if (this.#isOver) return;
    this.#host.heartbeat.join(this);
    if (this.maxStreamMs !== undefined && Number.isFinite(this.maxStreamMs)) {
      this.#limit = setTimeout(() => this.detach(), timerMs(this.maxStreamMs));
    }
    this.#visit.http.onClose(onClose);
  }

  /** Sends a message before the response, on the SSE stream. Drops it if the client does not accept event streams. */
  send(message: Message): void {
    if (this.#isOver || !this.#canStream) return;
    const isQuestion = isRequest(message);
    let json: string;
    try {
      json = serialize(message);
    } catch (cause) {
      // An input request that cannot be encoded fails. A notification must not fail its handler, and is only reported.
      if (isQuestion) throw cause;
      this.#host.unencodable(cause);
      return;
    }
    this.#write(json, false, isQuestion);
  }

  /** Sends the response. `suggested` is the HTTP status if no stream is open; rate limit errors then get 429. */
  respond(suggested: number, response: Response | readonly Response[]): void {
    if (this.#isOver) return;
    this.#end();
    const wait = tooManyRequestsFields(response);
    const status = wait ? 429 : suggested;
    if (wait) this.fields = { ...this.fields, ...wait };
    // An SSE response always has status 200, so another status needs a JSON response.
    const isAtOnce = !this.#reader && (this.#visit.accept.json || status !== 200);
    if (isAtOnce) this.#respondAtOnce(status, response);
    else if (this.#reader) this.#respondOnStream(response);
    else this.#respondWithStream(response);
  }

  /** Sends an HTTP error in place of the response. If a stream is open, ends it, with an error response if `id` is given. */
  refuse(refusal: Refusal, id?: Id): void {
    if (this.#isOver) return;
    this.#end();
    if (!this.#reader) refuse(this.#visit, refusal);
    else if (id === undefined) this.#reader.end();
    else this.#respondOnStream(errorResponse(refusal.error, id));
  }

  /** Sends each response in an event of its own, for revisions without batches of responses. */
  respondEach(responses: readonly Response[]): void {
    if (this.#canStream && !this.#isOver) this.#reader ??= this.#open();
    this.respond(200, responses);
  }

  /** Ends the HTTP response without a JSON-RPC response, because the request was cancelled. */
  abandon(): void {
    if (this.#isOver) return;
    this.#end();
    this.#recording?.close();
    if (this.#reader) this.#reader.end();
    else if (this.#canStream) openStream(this.#visit, EVENT_STREAM).end();
    else reply(this.#visit, 202, {});
  }

  /** Releases the stream after the response, or if there is none, and rejects pending input requests. */
  close(): void {
    this.#recording?.end();
  }

  /** Drops all further messages, because the client has disconnected. */
  forget(): void {
    this.#end();
  }

  /** Closes the stream while the call continues. Further events are stored for the client, which resumes the stream. */
  detach(): void {
    if (this.#isOver || !this.#canStream) return;
    if (!this.#reader) this.#open();
    this.#reader?.end();
  }

  beat(): void {
    // The stream opens at the second beat, after one keep-alive interval. Faster responses are sent as JSON.
    if (this.#reader) this.#reader.beat();
    else if (++this.#beats > 1 && this.#canStream) this.#open().write(KEEP_ALIVE);
  }

  #respondAtOnce(status: number, response: Response | readonly Response[]): void {
    replyJson(this.#visit, status, this.#encoded(response), this.fields);
  }

  // The client accepts only event streams. The events have no ids, because a complete response need not be resumed.
  #respondWithStream(response: Response | readonly Response[]): void {
    const events = listOf(response).map((one) => messageEvent(this.#encoded(one)));
    reply(this.#visit, 200, this.fields ? { ...EVENT_STREAM, ...this.fields } : EVENT_STREAM, events.join(''));
  }

  #respondOnStream(response: Response | readonly Response[]): void {
    const all = listOf(response);
    for (const [index, one] of all.entries()) this.#write(this.#encoded(one), index === all.length - 1, true);
    this.#reader?.end();
  }

  #encoded(response: Response | readonly Response[]): string {
    try {
      return serialize(response);
    } catch (cause) {
      return serialize(this.#replaced(response, cause));
    }
  }

  #replaced(response: Response | readonly Response[], cause: unknown): Response {
    this.#host.unencodable(cause);
    const id = Array.isArray(response) ? undefined : (response as Response).id;
    return errorResponse(RpcError.internal('The result could not be encoded'), id);
  }

  #write(json: string, isLast: boolean, isNeeded: boolean): void {
    const outlet = this.#reader ?? this.#open();
    const id = this.#recording?.record(json, isLast);
    outlet.write(messageEvent(json, id), isNeeded);
  }

  #open(): Reader {
    const outlet: Outlet = openStream(this.#visit, { ...EVENT_STREAM, ...this.fields });
    this.#reader = new Reader(outlet, this.#visit);
    if (this.keepAliveMs !== undefined) this.#reader.write(keepAlivePromise(this.keepAliveMs));
    const prelude = this.#recording?.begin();
    if (prelude) this.#reader.write(prelude);
    return this.#reader;
  }

  get #canStream(): boolean {
    return this.#visit.accept.events && !this.isQuiet;
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#limit);
    this.#host.heartbeat.leave(this);
  }
}

function listOf(response: Response | readonly Response[]): readonly Response[] {
  return isBatch(response) ? response : [response];
}
