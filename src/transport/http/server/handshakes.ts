/** `Handshakes`: handles `initialize` requests over HTTP. */

import { finallyMaybe, isPromise, type MaybePromise, thenMaybe } from '../../../jsonrpc/maybe-promise.ts';
import { isErrorResponse, type Request } from '../../../jsonrpc/message.ts';
import { McpErrorCode } from '../../../protocol/errors.ts';
import type { Session } from '../../../protocol/session.ts';
import { ConnectionExchange } from '../../../server/connection/exchange.ts';
import { InFlight } from '../../../server/connection/in-flight.ts';
import { handleRequest } from '../../../server/handle-request.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import type { Fields } from './http-exchange.ts';
import type { Load } from './load.ts';
import { Post, type PostHost } from './post.ts';
import { closing } from './refusal.ts';
import type { Visit } from './visit.ts';

export class Handshakes {
  readonly inFlight: InFlight = new InFlight();
  readonly #server: ServerInternals;
  readonly #host: PostHost;
  readonly #load: Load;
  #lastKey = 0;

  constructor(server: ServerInternals, host: PostHost, load: Load) {
    this.#server = server;
    this.#host = host;
    this.#load = load;
  }

  /** Handles an `initialize` request. `keep` stores the new session and returns response header fields (`Mcp-Session-Id`). */
  take(
    visit: Visit,
    request: Request,
    keep: (session: Session) => MaybePromise<Fields | undefined>,
  ): MaybePromise<void> {
    const refusal = this.#load.refusalOf(visit);
    if (refusal) throw refusal;
    const post = new Post(visit, this.#host);
    post.isQuiet = true;
    const exchange = new ConnectionExchange(post, request.method);
    const key = ++this.#lastKey;
    this.inFlight.begin(key, exchange);
    exchange.onEnd(() => exchange.isDiscarded && post.refuse(closing()));
    const answered = handleRequest(this.#server, request, exchange, undefined);
    const held = isPromise(answered) ? this.#load.hold(visit, request.params) : undefined;
    return thenMaybe(answered, (response) => {
      if (held !== undefined) this.#load.release(visit, held, false, exchange.runningAfterResponse);
      this.inFlight.end(key, exchange);
      const { opened } = post;
      const isUnknown = isErrorResponse(response) && response.error.code === McpErrorCode.UnsupportedProtocolVersion;
      const isKept = opened && !isErrorResponse(response) && !exchange.isDiscarded;
      const respond = (): MaybePromise<void> =>
        thenMaybe(isKept ? keep(opened) : undefined, (fields) => {
          post.fields = fields;
          post.respond(isUnknown ? 400 : 200, response);
        });
      // Also if `keep` fails, so that a closing endpoint stops waiting for this request.
      return finallyMaybe(respond, () => this.inFlight.checkIdle());
    });
  }
}
