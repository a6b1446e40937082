/** The HTTP+SSE transport of 2024-11-05: an SSE stream for messages of the server, and POSTs for messages of the client. */

import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Payload } from '../../../jsonrpc/json/parse-message.ts';
import { type Message, serialize } from '../../../jsonrpc/message.ts';
import type { Receiver, Transport } from '../../../jsonrpc/transport.ts';
import type { Authenticate } from '../../../protocol/http/authenticate.ts';
import { type Principal, principalKey } from '../../../protocol/principal.ts';
import { serveConnection } from '../../../server/connection/connection.ts';
import type { TransportConnection } from '../../../server/connection/connection-options.ts';
import type { ServerInternals } from '../../../server/internals.ts';
import { capabilitiesIn, checkScopes, requestsIn } from './authenticate.ts';
import { EVENT_STREAM, keepAlivePromise, messageEvent } from './events.ts';
import { EXPIRED, whenExpired } from './expiry.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Load } from './load.ts';
import { Reader } from './reader.ts';
import { Refusal } from './refusal.ts';
import { unguessable } from './unguessable.ts';
import { openStream, reply, type Visit } from './visit.ts';

export interface SseLinesHost {
  readonly heartbeat: Heartbeat;
  readonly load: Load;
  readonly settings: {
    readonly sse: boolean;
    readonly auth: Authenticate | undefined;
    readonly keepAliveMs: number;
  };
  report(error: unknown): void;
}

interface Open {
  readonly line: SseLine;
  readonly principal: string;
  readonly serving: Promise<TransportConnection>;
  /** Closes the connection when the credentials of this principal expire. Replaces the expiry of an earlier call. */
  endWith(principal: Principal | undefined): void;
}

/** HTTP+SSE connections, keyed by the `sessionId` in the URL of their POSTs. */
export class SseLines {
  readonly #server: ServerInternals;
  readonly #host: SseLinesHost;
  readonly #open = new Map<string, Open>();

  constructor(server: ServerInternals, host: SseLinesHost) {
    this.#server = server;
    this.#host = host;
  }

  /** Opens a connection. Its first event has the URL for POSTs. */
  get(visit: Visit): void {
    const { http, principal } = visit;
    const { load } = this.#host;
    const refusal = load.streamRefusalOf(visit);
    if (refusal) throw refusal;
    load.openStandalone(visit);
    const id = unguessable();
    const reader = new Reader(openStream(visit, EVENT_STREAM), visit);
    const line = new SseLine(reader);
    const [path = '', query = ''] = http.target.split('?', 2);
    const parameters = new URLSearchParams(query);
    parameters.set('sessionId', id);
    // A URL that starts with two slashes would name another host.
    reader.write(`event: endpoint\ndata: ${path.replace(/^\/+/, '/')}?${parameters}\n\n`);
    reader.write(keepAlivePromise(this.#host.settings.keepAliveMs));
    const serving = serveConnection(this.#server, line, { principal, caller: visit.caller, running: load.running });
    let stopWaiting = (): void => {};
    const endWith = (caller: Principal | undefined): void => {
      stopWaiting();
      stopWaiting = whenExpired(caller, () => void this.#retire(serving));
    };
    endWith(principal);
    this.#open.set(id, { line, principal: principalKey(principal), serving, endWith });
    this.#host.heartbeat.join(reader);
    http.onClose(() => {
      stopWaiting();
      this.#open.delete(id);
      this.#host.heartbeat.leave(reader);
      line.lost();
    });
    serving.catch((error: unknown) => this.#host.report(error));
  }

  /** True if the URL has a `sessionId`, as POSTs of HTTP+SSE connections have. */
  isFor({ http }: Visit): boolean {
    return this.#host.settings.sse && idIn(http.target) !== undefined;
  }

  /** Handles a POST: the client gets 202, and the response on its SSE stream. Throws a `Refusal` (404) without a stream. */
  async post(visit: Visit, payload: Payload): Promise<void> {
    const { principal } = visit;
    const open = this.#open.get(idIn(visit.http.target) ?? '');
    if (!open || open.principal !== principalKey(principal)) {
      throw new Refusal(404, 'There is no such session, or its stream has ended: open another');
    }
    const serving = await open.serving;
    const capabilities = capabilitiesIn(payload, serving.session);
    if (capabilities) checkScopes(this.#server, payload, { principal, capabilities }, this.#host.settings);
    const refusal = requestsIn(payload).length > 0 ? this.#host.load.refusalOf(visit) : undefined;
    if (refusal) throw refusal;
    reply(visit, 202, {});
    // The principal has the same key, but a new token can have other scopes and a later expiry.
    serving.principal = principal;
    open.endWith(principal);
    open.line.receive(payload);
  }

  async #retire(serving: Promise<TransportConnection>): Promise<void> {
    try {
      await (await serving).retire(EXPIRED);
    } catch (error) {
      this.#host.report(error);
    }
  }

  /** Closes all connections, after at most `graceMs` milliseconds for running requests. */
  async close(graceMs: number): Promise<void> {
    await Promise.all([...this.#open.values()].map(async ({ serving }) => (await serving).close({ graceMs })));
  }
}

class SseLine implements Transport {
  readonly cancelsBy = 'notification';
  readonly #reader: Reader;
  #receiver: Receiver | undefined;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  get connected(): boolean {
    return this.#receiver !== undefined && !this.#reader.isGone;
  }

  async connect(receiver: Receiver): Promise<void> {
    this.#receiver = receiver;
  }

  send(message: Message | readonly Message[]): void {
    if (this.#reader.isGone) throw new ConnectionError('closed', 'The client is gone');
    this.#reader.write(messageEvent(serialize(message)));
  }

  async disconnect(): Promise<void> {
    this.#reader.end();
  }

  receive(payload: Payload): void {
    this.#receiver?.onMessage(payload);
  }

  lost(): void {
    this.#receiver?.onClose();
  }
}

function idIn(target: string): string | undefined {
  const query = target.indexOf('?');
  return query < 0 ? undefined : (new URLSearchParams(target.slice(query)).get('sessionId') ?? undefined);
}
