/** One HTTP endpoint for every client: lets requests in, and brings each to those who speak its revision. */

import { ConnectionError, ParseError, RpcError } from '../../../jsonrpc/errors.ts';
import { readPayload } from '../../../jsonrpc/json/message-reader.ts';
import { isUnreadable, messageObjectOf, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import { isPromise, type MaybePromise } from '../../../jsonrpc/maybe-promise.ts';
import {
  isBatch,
  isNotification,
  isObject,
  isRequest,
  isResponse,
  type Message,
  type Request,
} from '../../../jsonrpc/message.ts';
import { McpErrorCode, unsupportedVersion } from '../../../protocol/errors.ts';
import { familyOf } from '../../../protocol/revisions.ts';
import { requestedVersion } from '../../../protocol/select-revision.ts';
import type { InFlight } from '../../../server/connection/in-flight.ts';
import { withoutSessions } from '../../../server/connection/without-sessions.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import { timerMs } from '../../../timing/timer-range.ts';
import { acceptOf, isJson } from './accept.ts';
import { authenticate, refusalOfMessage, requestsIn } from './authenticate.ts';
import { corsFields, preflightFields, refusedPage } from './cors.ts';
import { type Guard, guardOf } from './guard.ts';
import { Handshakes } from './handshakes.ts';
import { checkSentHeaders } from './header-checks.ts';
import { type Heartbeat, OwnClocks } from './heartbeat.ts';
import type { Body, HttpExchange } from './http-exchange.ts';
import type { LiveSession } from './live-session.ts';
import { Load } from './load.ts';
import { type Metadata, metadataOf } from './metadata.ts';
import { type HttpLimits, type HttpOptions, type Settings, settingsOf } from './options.ts';
import { PAGE, pageFor } from './page.ts';
import { parsedPayload } from './parsed-payload.ts';
import { busy, closing, methodNotAllowed, Refusal } from './refusal.ts';
import { ResponseLog } from './response-log.ts';
import { idOf, isHandshake, Sessionless } from './sessionless.ts';
import { SseLines } from './sse-line.ts';
import { Stateful } from './stateful.ts';
import { Stateless } from './stateless.ts';
import { UnflushedBytes } from './unflushed.ts';
import { refuse, reply, Visit } from './visit.ts';

// How long an aborted handler has to answer before its connection is closed.
const ABORT_MS = 100;

/** Serves one server, through whichever faces hand it requests. */
export class Endpoint {
  readonly #server: ServerInternals;
  /** The only path there is; undefined if somebody else has seen to that. */
  readonly #path: string | undefined;
  readonly #settings: Settings;
  readonly #guard: Guard;
  /** How to be let in, where somebody says it. */
  readonly #metadata: Metadata | undefined;
  readonly #load: Load;
  readonly #handshakes: Handshakes;
  readonly #stateless: Stateless;
  /** Undefined where sessions are turned off. */
  readonly #stateful: Stateful | undefined;
  readonly #sessionless: Sessionless;
  readonly #lines: SseLines;
  readonly #methods: string;
  readonly #servesStateful: boolean;
  #closing: Promise<void> | undefined;
  #hasReportedPage = false;

  constructor(
    server: ServerInternals,
    options: HttpOptions = {},
    path?: string,
    Clock: new (interval: number) => Heartbeat = OwnClocks,
  ) {
    const settings = settingsOf(options);
    const { limits, sessions } = settings;
    const own = server;
    const report = this.#report;
    this.#server = server;
    this.#path = path;
    this.#settings = settings;
    this.#guard = guardOf(options);
    this.#metadata = metadataOf(settings.auth?.protectedResource, path !== undefined);
    // Twice as often as a stream shows that it is alive: a call that was just missed does not wait for two intervals.
    const heartbeat = new Clock(settings.keepAliveMs / 2);
    const unflushed = new UnflushedBytes(own.usage.unflushed, heartbeat, limits.slowReaderMs);
    const load = new Load(limits, own.usage, unflushed, options.clientAddress);
    this.#load = load;
    const post = { heartbeat, unencodable: report };
    const forStateful = sessions ? server : withoutSessions(server);
    this.#handshakes = new Handshakes(forStateful, post, load);
    const host = { ...post, settings, load, handshakes: this.#handshakes, report };
    this.#servesStateful = own.serverInfo.versions.some((version) => familyOf(version) === 'stateful');
    this.#stateless = new Stateless(server, host);
    this.#stateful = sessions && this.#servesStateful ? new Stateful(server, host, sessions) : undefined;
    this.#sessionless = new Sessionless(forStateful, host);
    this.#lines = new SseLines(server, host);
    this.#methods = this.#stateful ? 'GET, POST, DELETE' : settings.sse ? 'GET, POST' : 'POST';
  }

  readonly #report = (error: unknown): void => this.#server.report(error, { method: 'http' });

  get limits(): HttpLimits {
    return this.#settings.limits;
  }

  /** Resolves when the stores of sessions can be used. Requests that come before wait for that, too. */
  async ready(): Promise<void> {
    await this.#stateful?.ready();
  }

  /** Answers a request. Never throws. */
  handle(http: HttpExchange): void {
    const isPublic = this.#metadata?.isFor(http) === true;
    const stranger = isPublic ? this.#guard.refuseHost(http) : this.#guard.refuse(http, http.address);
    const cors = stranger === undefined && !isPublic ? corsFields(http) : undefined;
    const visit = new Visit(http, acceptOf(http.header('accept')), cors, this.#load);
    const { onResponse } = this.#settings;
    if (onResponse) visit.log = new ResponseLog(onResponse, this.#report);
    try {
      if (stranger !== undefined) throw this.#refusePage(http, stranger);
      if (isPublic) this.#showMetadata(visit);
      else this.#watch(visit, this.#admit(visit));
    } catch (error) {
      this.#refuse(visit, error);
    }
  }

  // Browsers show a refused page nothing but a CORS error, so the first one is reported.
  #refusePage(http: HttpExchange, reason: string): Refusal {
    const origin = http.header('origin');
    if (origin !== undefined && !this.#hasReportedPage) {
      this.#hasReportedPage = true;
      this.#server.report(refusedPage(origin, reason), { method: 'http' });
    }
    return new Refusal(403, reason);
  }

  /**
   * Takes no new requests, gives running ones `graceMs` to end, aborts the rest and ends every stream. Sessions stay
   * where they are kept.
   */
  close({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(timerMs(graceMs));
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    const reason = new ConnectionError('closed', 'The server is closing');
    this.#load.isClosing = true;
    // Those who listen wait for nothing but this.
    this.#stateless.inFlight.abort(reason, ({ row }) => row?.isLongLived === true);
    for (const live of this.#live()) live.standalone?.close();
    const lines = this.#lines.close(graceMs);
    await this.#idle(graceMs);
    for (const one of this.#inFlight()) one.abort(reason);
    await Promise.all([lines, this.#idle(ABORT_MS)]);
    this.#load.isOver = true;
    for (const one of this.#inFlight()) one.discardAll(reason);
    for (const live of this.#live()) live.endStreams();
    this.#stateful?.close();
  }

  async #idle(milliseconds: number): Promise<void> {
    await Promise.all(this.#inFlight().map((one) => one.idle(milliseconds)));
  }

  #inFlight(): InFlight[] {
    return [this.#stateless.inFlight, this.#handshakes.inFlight, ...[...this.#live()].map(({ inFlight }) => inFlight)];
  }

  #live(): Iterable<LiveSession> {
    return [...(this.#stateful?.live ?? []), ...this.#sessionless.live];
  }

  #admit(visit: Visit): MaybePromise<void> {
    const { http, cors, accept } = visit;
    const { auth } = this.#settings;
    if (this.#path !== undefined && pathOf(http.target) !== this.#path) {
      throw new Refusal(404, `There is nothing here; the MCP endpoint is at ${this.#path}`);
    }
    if (http.method === 'OPTIONS') {
      const preflight = cors ? preflightFields(http, this.#methods) : {};
      return reply(visit, 204, { allow: this.#methods, ...preflight });
    }
    // People have no credentials to show here, and see no more than that the server is there.
    if (http.method === 'GET' && accept.page && this.#settings.page) return this.#showPage(visit);
    if (!auth) return this.#enter(visit);
    return authenticate(auth, http).then(({ principal, lacking }) => {
      visit.principal = principal;
      visit.lacking = lacking;
      return this.#enter(visit);
    });
  }

  #enter(visit: Visit): MaybePromise<void> {
    const { method } = visit.http;
    if (this.#closing && !this.#belongsToSession(visit)) throw closing();
    if (method === 'POST') return this.#post(visit);
    // Nothing in it could say what else is needed.
    if (visit.lacking) throw visit.lacking;
    if (isStateless(visit)) throw methodNotAllowed('POST');
    if (method === 'GET') return this.#get(visit);
    if (method === 'DELETE' && this.#stateful) return this.#stateful.delete(visit);
    throw methodNotAllowed(this.#methods);
  }

  // What runs may be waiting for an answer, or be taken back.
  #belongsToSession(visit: Visit): boolean {
    return visit.http.method === 'POST' && (hasSession(visit) || this.#lines.isFor(visit));
  }

  #get(visit: Visit): MaybePromise<void> {
    // Clients of the old transport open their stream before they say anything.
    if (this.#settings.sse && !hasSession(visit) && visit.accept.events) return this.#lines.get(visit);
    if (this.#stateful) return this.#stateful.get(visit);
    throw methodNotAllowed(this.#methods);
  }

  #post(visit: Visit): void {
    const { http, accept } = visit;
    const { limits } = this.#settings;
    const encoding = http.header('content-encoding')?.toLowerCase();
    if (!isJson(http.header('content-type'))) throw new Refusal(415, 'The body must be application/json');
    if (encoding !== undefined && encoding !== 'identity') throw new Refusal(415, 'The body must not be compressed');
    if (!accept.json && !accept.events) {
      throw new Refusal(406, 'The answer is application/json or text/event-stream: accept one of them');
    }
    const length = http.header('content-length');
    if (length !== undefined && Number(length) > limits.bodyBytes) throw this.#tooLarge();
    const reading = this.#load.bodyOf(visit);
    http.readBody(reading, (body) => {
      reading.end();
      this.#receive(visit, body);
    });
  }

  #receive(visit: Visit, body: Body): void {
    try {
      const payload = this.#payloadOf(body);
      visit.log?.received(payload);
      this.#watch(visit, this.#take(visit, payload));
    } catch (error) {
      this.#refuse(visit, error);
    }
  }

  #payloadOf(body: Body): Payload {
    if (body instanceof Uint8Array) return readPayload(body, this.#settings.limits);
    if (typeof body === 'object') return parsedPayload(body.parsed, this.#settings.limits);
    if (body === 'too large') throw this.#tooLarge();
    if (body === 'too slow')
      throw new Refusal(408, 'The body did not arrive in time', undefined, { connection: 'close' });
    if (body === 'no room') throw busy('Too many bodies are being read');
    if (body === 'cut off') throw new Refusal(400, 'The body was cut off');
    throw new Error(
      'The body was read before the handler got the request: let the handler be first, or pass nodeHandler what it held',
    );
  }

  #tooLarge(): Refusal {
    const message = `The body may have ${this.#settings.limits.bodyBytes} bytes`;
    return new Refusal(413, message, undefined, { connection: 'close' });
  }

  // A claim in the body decides; the header is only compared with it.
  #take(visit: Visit, payload: Payload): MaybePromise<void> {
    const { principal, lacking } = visit;
    if (lacking) throw refusalOfMessage(this.#server, payload, principal, this.#settings.auth) ?? lacking;
    if (this.#lines.isFor(visit)) {
      this.#checkSentHeaders(visit, payload);
      return this.#lines.post(visit, payload);
    }
    if (this.#closing && requestsIn(payload).length > 0) throw closing();
    const isModern = isStateless(visit);
    if (payload instanceof ParseError && (isModern || !hasSession(visit))) {
      // The id of a response is one of ours: an error under it could be taken for the answer to a request of the client.
      throw new Refusal(400, payload.toRpcError(), payload.isResponse ? undefined : payload.id);
    }
    if (isBatch(payload) && (isModern || !this.#servesStateful)) {
      throw new Refusal(400, 'Batches are not part of this protocol revision');
    }
    if (isBatch(payload) || isUnreadable(payload)) return this.#takeUnclaimed(visit, payload);
    const message = payload as Message;
    const claim = requestedVersion(messageObjectOf(message)?.params);
    if (isRequest(message)) {
      if (claim !== undefined) return this.#stateless.take(visit, message, claim);
      if (isModern) throw this.#unclaimed(message);
    } else if (!isResponse(message) && (isModern || claim !== undefined)) {
      this.#checkSentHeaders(visit, message);
      return this.#stateless.notice(visit, message, claim);
    }
    return this.#takeUnclaimed(visit, payload);
  }

  #checkSentHeaders({ http }: Visit, payload: Payload): void {
    const { extensions, registries } = this.#server;
    try {
      checkSentHeaders(
        http,
        payload,
        extensions.mcpNames,
        (name) => registries.tools.getUnchecked(name)?.input.jsonSchema,
      );
    } catch (error) {
      throw error instanceof RpcError ? new Refusal(400, error, idOf(payload)) : error;
    }
  }

  #takeUnclaimed(visit: Visit, payload: Payload): MaybePromise<void> {
    this.#checkSentHeaders(visit, payload);
    if (!this.#servesStateful) return this.#takeUnserved(visit, payload);
    if (!this.#stateful) return this.#sessionless.post(visit, payload);
    // Before there is a session there is nobody to tell in an older way that something cannot be read.
    const isKnown = hasSession(visit);
    if (!isKnown && isBatch(payload)) throw new Refusal(400, 'A batch needs a session: send "initialize" first');
    return this.#stateful.post(visit, payload);
  }

  // A notification that says nothing of its revision may be of any.
  #takeUnserved(visit: Visit, payload: Payload): void {
    const message = payload as Message;
    if (!isNotification(message)) throw this.#notServed(payload);
    reply(visit, 202, {});
  }

  #notServed(payload: Payload): Refusal {
    const { versions } = this.#server.serverInfo;
    const params = isHandshake(payload) && isObject(payload.params) ? payload.params : {};
    const requested = params['protocolVersion'];
    return new Refusal(
      400,
      unsupportedVersion(typeof requested === 'string' ? requested : undefined, versions),
      idOf(payload),
    );
  }

  #unclaimed({ method, id, params = {} }: Request): Refusal {
    if (!isObject(params)) return new Refusal(400, RpcError.invalidParams('"params" must be an object'), id);
    if (method === 'initialize') {
      const message = 'The header MCP-Protocol-Version names a revision that has no "initialize"';
      return new Refusal(400, new RpcError(McpErrorCode.HeaderMismatch, message), id);
    }
    const message = 'The request has no "_meta" with "io.modelcontextprotocol/protocolVersion"';
    const supported = this.#server.serverInfo.versions;
    return new Refusal(400, RpcError.invalidParams(message, { supported }), id);
  }

  #showMetadata({ http, log }: Visit): void {
    const status = this.#metadata?.answer(http);
    if (status !== undefined) log?.write(http, undefined, status, false);
  }

  #showPage(visit: Visit): void {
    const { http, principal } = visit;
    const own = this.#server;
    const { info, instructions } = own.serverInfo;
    const isSecure = http.isSecure || http.header('x-forwarded-proto') === 'https';
    const url = `${isSecure ? 'https' : 'http'}://${http.header('host')}${pathOf(http.target)}`;
    const tools = this.#settings.auth ? undefined : own.visibleTools({ principal, capabilities: {} });
    reply(visit, 200, PAGE, pageFor(info, url, this.#settings.auth ? undefined : instructions, tools));
  }

  #watch(visit: Visit, result: MaybePromise<void>): void {
    if (isPromise(result)) result.catch((error: unknown) => this.#refuse(visit, error));
  }

  #refuse(visit: Visit, error: unknown): void {
    try {
      if (!(error instanceof Refusal)) throw error;
      if (error.cause !== undefined) this.#report(error.cause);
      refuse(visit, error);
    } catch (fault) {
      // An authenticator may have given header fields that no answer can have.
      this.#report(fault);
      refuse(visit, new Refusal(500, RpcError.internal()));
    }
  }
}

function hasSession({ http }: Visit): boolean {
  return http.header('mcp-session-id') !== undefined;
}

/** True if the request names a revision without sessions: it has no method but POST. */
function isStateless({ http }: Visit): boolean {
  const version = http.header('mcp-protocol-version');
  return version !== undefined && familyOf(version) === 'stateless';
}

function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}
