/** `Stateless`: handles POSTs of stateless revisions. A disconnect of the client cancels its request. */

import { ConnectionError, RpcError } from '../../../jsonrpc/errors.ts';
import { isPromise } from '../../../jsonrpc/maybe-promise.ts';
import { isErrorResponse, isObject, type Notification, type Request, type Response } from '../../../jsonrpc/message.ts';
import { McpErrorCode, unsupportedVersion } from '../../../protocol/errors.ts';
import type { Authenticate } from '../../../protocol/http/authenticate.ts';
import { METHODS } from '../../../protocol/methods.ts';
import type { Principal } from '../../../protocol/principal.ts';
import { isServed } from '../../../protocol/revision-of-message.ts';
import { ConnectionExchange } from '../../../server/connection/exchange.ts';
import { InFlight } from '../../../server/connection/in-flight.ts';
import { handleNotification, handleRequest, type RequestAdmission } from '../../../server/handle-request.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import { checkScopes } from './authenticate.ts';
import { EXPIRED, whenExpired } from './expiry.ts';
import { checkHeaders, checkParamHeaders, headersOf } from './header-checks.ts';
import type { Load } from './load.ts';
import { Post, type PostHost } from './post.ts';
import { closing, Refusal } from './refusal.ts';
import { reply, type Visit } from './visit.ts';

export interface StatelessHost extends PostHost {
  readonly settings: { readonly auth: Authenticate | undefined; readonly keepAliveMs: number };
  readonly load: Load;
}

// HTTP statuses of JSON-RPC error codes. Responses with other codes have status 200.
const STATUS: ReadonlyMap<number, number> = new Map([
  [-32601, 404],
  [McpErrorCode.HeaderMismatch, 400],
  [McpErrorCode.MissingRequiredClientCapability, 400],
  [McpErrorCode.UnsupportedProtocolVersion, 400],
]);

export class Stateless {
  readonly inFlight: InFlight = new InFlight();
  readonly #server: ServerInternals;
  readonly #host: StatelessHost;
  #lastKey = 0;

  constructor(server: ServerInternals, host: StatelessHost) {
    this.#server = server;
    this.#host = host;
  }

  /** Handles a request. `claim` is the protocol version in its `_meta`. Throws a `Refusal` if the request is not accepted. */
  take(visit: Visit, request: Request, claim: unknown): void {
    const admitted = this.#check(visit, request, claim);
    const row = METHODS.get(request.method);
    const isStream = row?.isLongLived === true;
    if (isStream && !visit.accept.events)
      throw new Refusal(406, 'The answer is an event stream: accept it', request.id);
    const { load } = this.#host;
    const refusal = (isStream ? load.streamRefusalOf(visit) : undefined) ?? load.refusalOf(visit);
    if (refusal) throw refusal;
    const post = new Post(visit, this.#host);
    if (isStream) post.keepAliveMs = this.#host.settings.keepAliveMs;
    const exchange = new ConnectionExchange(post, request.method, row);
    const key = ++this.#lastKey;
    this.inFlight.begin(key, exchange);
    const response = handleRequest(this.#server, request, exchange, claim, admitted);
    if (!isPromise(response)) {
      this.#respond(post, exchange, key, response);
      return;
    }
    const held = load.hold(visit, request.params, isStream);
    if (isStream && visit.principal) this.#endWith(visit.principal, exchange);
    // Requests that outlast the grace period of `close` are discarded, and get 503.
    exchange.onEnd(() => exchange.isDiscarded && post.refuse(closing()));
    post.wait(() => {
      if (post.isOver) return;
      post.forget();
      this.inFlight.cancel(key, new ConnectionError('aborted', 'The client hung up'));
    });
    void response.then((late) => {
      load.release(visit, held, isStream, exchange.runningAfterResponse);
      this.#respond(post, exchange, key, late);
    });
  }

  /** Handles a notification. The core protocol has no client notifications over HTTP, but extensions can define some. */
  notice(visit: Visit, notification: Notification, claim: unknown): void {
    const { versions } = this.#server.serverInfo;
    if (claim !== undefined && !isServed(claim, versions, 'stateless')) {
      throw new Refusal(400, unsupportedVersion(String(claim), versions));
    }
    const refusal = this.#host.load.refusalOf(visit);
    if (refusal) throw refusal;
    const post = new Post(visit, this.#host);
    // A notification gets 202 without a body, so its handler cannot open an SSE stream, for instance with `ctx.log`.
    post.isQuiet = true;
    const exchange = new ConnectionExchange(post, notification.method);
    this.inFlight.beginNotification(exchange);
    const taken = handleNotification(this.#server, notification, exchange, claim);
    if (isPromise(taken)) {
      const { load } = this.#host;
      const held = load.hold(visit, notification.params);
      void taken.then(() => {
        this.inFlight.endNotification(exchange);
        load.release(visit, held);
      });
    } else this.inFlight.endNotification(exchange);
    reply(visit, 202, {});
  }

  // Ends a long-lived request when the credentials of its principal expire.
  #endWith(principal: Principal, exchange: ConnectionExchange): void {
    exchange.onEnd(whenExpired(principal, () => exchange.abort(new ConnectionError('closed', EXPIRED))));
  }

  #respond(post: Post, exchange: ConnectionExchange, key: number, response: Response): void {
    this.inFlight.end(key, exchange);
    if (!exchange.isDiscarded) post.respond(statusOf(response), response);
    this.inFlight.checkIdle();
  }

  #check({ http, principal }: Visit, request: Request, claim: unknown): RequestAdmission {
    const { method, params } = request;
    const { serverInfo: host, extensions, registries } = this.#server;
    try {
      const admitted = checkHeaders(http, request, claim, host.versions, extensions.mcpNames);
      const viewer = { principal, capabilities: admitted.caller.capabilities };
      checkScopes(this.#server, request, viewer, this.#host.settings);
      if (method !== 'tools/call' || !isObject(params)) return admitted;
      const tool = registries.tools.getUnchecked(params['name']);
      const headers = tool && headersOf(tool.input.jsonSchema);
      // Only for tools that the caller can see: an error about headers would reveal a hidden tool.
      if (headers && headers.size > 0 && registries.tools.get(tool.key, viewer)) {
        checkParamHeaders(http, params['arguments'], headers);
      }
      return admitted;
    } catch (error) {
      throw error instanceof RpcError ? new Refusal(400, error, request.id) : error;
    }
  }
}

function statusOf(response: Response): number {
  return isErrorResponse(response) ? (STATUS.get(response.error.code) ?? 200) : 200;
}
