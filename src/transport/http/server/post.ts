/** A POST with a request in it: what is said before the answer goes on an event stream, opened when there is something to say. */

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

// What shows who is calling.
const PROOFS: ReadonlySet<string> = new Set(['authorization', 'dpop']);

/** What a post needs of its endpoint. */
export interface PostHost {
  readonly heartbeat: Heartbeat;
  /** What a handler gave cannot be written as JSON. */
  unencodable(cause: unknown): void;
}

/** What makes the stream of a post one that can be gone on with after its connection was lost. */
export interface Recording {
  /** What the stream begins with, if anything. */
  begin(): string | undefined;
  /** Keeps an event; gives its id. */
  record(json: string, isLast: boolean): string;
  /** Nothing more comes: tells that to whoever goes on with the stream elsewhere. */
  close(): void;
  /** The post is over: nobody waits for answers to its questions any more. */
  end(): void;
  /** Sends a question to the client, and waits. */
  readonly ask: ExchangeConnection['ask'];
  /** Counts bytes that the session keeps from now on; false if there is no room for them. */
  grow(bytes: number): boolean;
}

/** Answered once: in one piece, or as the last event of its stream. */
export class Post implements ExchangeConnection, Beating {
  readonly #visit: Visit;
  readonly #host: PostHost;
  readonly #recording: Recording | undefined;
  /** Header fields that the answer has, too. */
  fields: Fields | undefined;
  /** Nothing is said before the answer: for answers that bring header fields. */
  isQuiet = false;
  session: Session | undefined;
  /** The session this post asked for. */
  opened: Session | undefined;
  /** Milliseconds after which the stream is broken off if there is no answer yet. Undefined: never. */
  maxStreamMs: number | undefined = undefined;
  /** Keep-alive interval of a stream that stays open, told to its client. */
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

  /** Clients of Streamable HTTP read event by event. */
  get turn(): undefined {
    return undefined;
  }

  get caller(): string {
    return this.#visit.caller;
  }

  get headers(): ReadonlyMap<string, string> {
    const { http, principal } = this.#visit;
    if (!principal) return http.headers;
    // Handlers know who is calling; what proved it is not theirs to pass on.
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

  /** Without a session that is kept there is nothing to count. */
  growSession(bytes: number): boolean {
    return this.#recording?.grow(bytes) ?? true;
  }

  /** Nothing more is said. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The answer takes its time: the client is shown meanwhile that somebody is there. Tells when it has ended or the client is gone. */
  wait(onClose: () => void): void {
    if (this.#isOver) return;
    this.#host.heartbeat.join(this);
    if (this.maxStreamMs !== undefined && Number.isFinite(this.maxStreamMs)) {
      this.#limit = setTimeout(() => this.detach(), timerMs(this.maxStreamMs));
    }
    this.#visit.http.onClose(onClose);
  }

  /** Says something before the answer. A client that takes no streams is told nothing but its answer. */
  send(message: Message): void {
    if (this.#isOver || !this.#canStream) return;
    const isQuestion = isRequest(message);
    let json: string;
    try {
      json = serialize(message);
    } catch (cause) {
      // Whoever asks is told; whoever only said something must not fail for it.
      if (isQuestion) throw cause;
      this.#host.unencodable(cause);
      return;
    }
    this.#write(json, false, isQuestion);
  }

  /** Answers, with this HTTP status if nothing was said before, or with 429 if the caller has to wait. */
  respond(suggested: number, response: Response | readonly Response[]): void {
    if (this.#isOver) return;
    this.#end();
    const wait = tooManyRequestsFields(response);
    const status = wait ? 429 : suggested;
    if (wait) this.fields = { ...this.fields, ...wait };
    // A stream has no status of its own to give.
    const isAtOnce = !this.#reader && (this.#visit.accept.json || status !== 200);
    if (isAtOnce) this.#respondAtOnce(status, response);
    else if (this.#reader) this.#respondOnStream(response);
    else this.#respondWithStream(response);
  }

  /**
   * There will be no answer, for a reason that is not the request's. On a stream that is open the request with this id gets the
   * error as its response; without an id the stream ends.
   */
  refuse(refusal: Refusal, id?: Id): void {
    if (this.#isOver) return;
    this.#end();
    if (!this.#reader) refuse(this.#visit, refusal);
    else if (id === undefined) this.#reader.end();
    else this.#respondOnStream(errorResponse(refusal.error, id));
  }

  /** Answers several requests one by one, for revisions that have no answers in one piece. */
  respondEach(responses: readonly Response[]): void {
    if (this.#canStream && !this.#isOver) this.#reader ??= this.#open();
    this.respond(200, responses);
  }

  /** Ends without an answer: nobody waits for it any more. */
  abandon(): void {
    if (this.#isOver) return;
    this.#end();
    this.#recording?.close();
    if (this.#reader) this.#reader.end();
    else if (this.#canStream) openStream(this.#visit, EVENT_STREAM).end();
    else reply(this.#visit, 202, {});
  }

  /** It is answered, or will not be: what came of it here is over. */
  close(): void {
    this.#recording?.end();
  }

  /** The client is gone. */
  forget(): void {
    this.#end();
  }

  /** Breaks the stream off and goes on: the client comes back for the rest. */
  detach(): void {
    if (this.#isOver || !this.#canStream) return;
    if (!this.#reader) this.#open();
    this.#reader?.end();
  }

  beat(): void {
    // Whoever is answered within a beat gets its answer in one piece.
    if (this.#reader) this.#reader.beat();
    else if (++this.#beats > 1 && this.#canStream) this.#open().write(KEEP_ALIVE);
  }

  #respondAtOnce(status: number, response: Response | readonly Response[]): void {
    replyJson(this.#visit, status, this.#encoded(response), this.fields);
  }

  // A stream of which nothing was said before its last event is one piece, and as little to come back for as one of JSON.
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
