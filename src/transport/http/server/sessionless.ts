/** `Sessionless`: serves clients of stateful revisions without sessions. */

import { messageObjectOf, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import type { MaybePromise } from '../../../jsonrpc/maybe-promise.ts';
import { type Id, isRequest, type Request } from '../../../jsonrpc/message.ts';
import { SlotMap } from '../../../jsonrpc/slot-map.ts';
import { unsupportedVersion } from '../../../protocol/errors.ts';
import type { Authenticate } from '../../../protocol/http/authenticate.ts';
import { familyOf } from '../../../protocol/revisions.ts';
import type { Session } from '../../../protocol/session.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import type { Handshakes } from './handshakes.ts';
import { LiveSession, type LiveSessionHost } from './live-session.ts';
import type { Load } from './load.ts';
import { Post, type PostHost } from './post.ts';
import { Refusal } from './refusal.ts';
import { type CallsHost, type Place, SessionCalls } from './session-calls.ts';
import type { Visit } from './visit.ts';

export interface SessionlessHost extends PostHost {
  readonly settings: { readonly auth: Authenticate | undefined };
  readonly handshakes: Handshakes;
  readonly load: Load;
  report(error: unknown): void;
}

/** Revision that the specification assumes if the header `MCP-Protocol-Version` is missing. */
const UNSAID = '2025-03-26';

/** Handles each POST in a temporary session, without input requests, change notifications and log messages. */
export class Sessionless {
  readonly #server: ServerInternals;
  readonly #host: SessionlessHost;
  readonly #calls: CallsHost<Place>;
  readonly #live = new SlotMap<string, LiveSession>();
  #lastId = 0;
  readonly #versions: readonly string[];

  constructor(server: ServerInternals, host: SessionlessHost) {
    this.#server = server;
    this.#host = host;
    this.#versions = server.serverInfo.versions.filter((version) => familyOf(version) === 'stateful');
    this.#calls = {
      ...host,
      server,
      makePost: (visit, { session }) => new Post(visit, host, session),
      respond: () => true,
      broadcast: () => {},
      save: () => {},
    };
  }

  /** The temporary sessions of running requests. */
  get live(): Iterable<LiveSession> {
    return this.#live.values();
  }

  post(visit: Visit, payload: Payload): MaybePromise<void> {
    if (isHandshake(payload)) return this.#host.handshakes.take(visit, payload, () => undefined);
    const session = this.#sessionFor(visit);
    const live = new LiveSession(`${++this.#lastId}`, this.#liveHost);
    this.#live.set(live.id, live);
    live.enter();
    try {
      return new SessionCalls(this.#calls, { session, live }).take(visit, payload);
    } finally {
      live.exit();
    }
  }

  // No store has the temporary sessions, so they cannot expire.
  readonly #liveHost: LiveSessionHost = {
    stay: () => {},
    touch: () => {},
    onIdle: ({ id }) => void this.#live.delete(id),
  };

  #sessionFor({ http }: Visit): Session {
    const { versions, capabilities } = this.#server.serverInfo;
    const stateful = this.#versions;
    const said = http.header('mcp-protocol-version');
    const version = said ?? (stateful.includes(UNSAID) ? UNSAID : stateful[0]);
    if (version === undefined || !stateful.includes(version))
      throw new Refusal(400, unsupportedVersion(said, versions));
    return {
      version,
      clientInfo: undefined,
      capabilities: {},
      declared: capabilities,
      initialized: true,
      logLevel: 'info',
      subscriptions: [],
    };
  }
}

/** True for an `initialize` request. */
export function isHandshake(payload: Payload): payload is Request {
  const call = messageObjectOf(payload);
  return call !== undefined && isRequest(call) && call.method === 'initialize';
}

/** Returns the id of a request; undefined for notifications, responses and batches. */
export function idOf(payload: Payload): Id | undefined {
  const call = messageObjectOf(payload);
  return call && isRequest(call) ? call.id : undefined;
}
