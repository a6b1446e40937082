/** `Endpoint`: guards and authenticates HTTP requests, and dispatches them by protocol revision. */

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
import { requestedVersion } from '../../../protocol/revision-of-message.ts';
import { familyOf } from '../../../protocol/revisions.ts';
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

// Milliseconds that aborted handlers have to respond during `close`, before their requests are discarded.
const ABORT_MS = 100;

export class Endpoint {
  readonly #server: ServerInternals;
  /** The only path that is served; other paths get 404. Undefined: all paths, because the application routes requests. */
  readonly #path: string | undefined;
  readonly #settings: Settings;
  readonly #guard: Guard;
  /** Undefined if `auth` has no protected resource metadata (RFC 9728). */
  readonly #metadata: Metadata | undefined;
  readonly #load: Load;
  readonly #handshakes: Handshakes;
  readonly #stateless: Stateless;
  /** Undefined if the option `sessions` is false, or if the server has no stateful revision. */
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
    // Two beats per keep-alive interval: a stream that opens between beats gets its first keep-alive after 0.5 to 1 interval.
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

  /** Resolves when the session stores can be used; rejects if they fail. Session requests that arrive earlier wait. */
  async ready(): Promise<void> {
    await this.#stateful?.ready();
  }

  /** Responds to a request. Never throws: failures are sent as HTTP errors. */
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

  // Browsers show only a CORS error for a refused page, so the first refusal is reported to `onError` with its reason.
  #refusePage(http: HttpExchange, reason: string): Refusal {
    const origin = http.header('origin');
    if (origin !== undefined && !this.#hasReportedPage) {
      this.#hasReportedPage = true;
      this.#server.report(refusedPage(origin, reason), { method: 'http' });
    }
    return new Refusal(403, reason);
  }

  /** Refuses new requests, waits up to `graceMs` for running ones, aborts the rest and ends streams. Stored sessions stay. */
  close({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(timerMs(graceMs));
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    const reason = new ConnectionError('closed', 'The server is closing');
    this.#load.isClosing = true;
    // Long-lived requests and GET streams get no grace period, because nothing else would end them.
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
    // Before authentication, because browsers have no token. With `auth`, the page shows no tools and no instructions.
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
    // GET and DELETE have no message whose scopes the refusal could name.
    if (visit.lacking) throw visit.lacking;
    if (isStateless(visit)) throw methodNotAllowed('POST');
    if (method === 'GET') return this.#get(visit);
    if (method === 'DELETE' && this.#stateful) return this.#stateful.delete(visit);
    throw methodNotAllowed(this.#methods);
  }

  // True for POSTs that are accepted while closing: they can contain input responses or cancellations for running calls.
  #belongsToSession(visit: Visit): boolean {
    return visit.http.method === 'POST' && (hasSession(visit) || this.#lines.isFor(visit));
  }

  #get(visit: Visit): MaybePromise<void> {
    // HTTP+SSE clients (2024-11-05) open their stream with a GET before they have a session.
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

  // The version in a request's `_meta` selects the revision. The header `MCP-Protocol-Version` must not contradict it.
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
      // The server chose the id of a response: a client could take an error with this id for the response to its own request.
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
    // Without a session the revision is unknown, and so is how to respond to a batch.
    const isKnown = hasSession(visit);
    if (!isKnown && isBatch(payload)) throw new Refusal(400, 'A batch needs a session: send "initialize" first');
    return this.#stateful.post(visit, payload);
  }

  // The server has no stateful revisions. A notification does not name its revision, so it gets 202 and is ignored.
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
      // An unexpected error, or a challenge of the authenticator with header fields that the runtime rejects.
      this.#report(fault);
      refuse(visit, new Refusal(500, RpcError.internal()));
    }
  }
}

function hasSession({ http }: Visit): boolean {
  return http.header('mcp-session-id') !== undefined;
}

/** True if `MCP-Protocol-Version` names a stateless revision, which allows only POST. */
function isStateless({ http }: Visit): boolean {
  const version = http.header('mcp-protocol-version');
  return version !== undefined && familyOf(version) === 'stateless';
}

function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}
