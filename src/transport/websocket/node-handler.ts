/** Serves MCP over the WebSocket connections that a Node HTTP server upgrades. */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Authenticate, HttpRequest } from '../../protocol/http/authenticate.ts';
import { type Principal, principalKey } from '../../protocol/principal.ts';
import { serveConnection } from '../../server/connection/connection.ts';
import type { TransportConnection } from '../../server/connection/connection-options.ts';
import type { ServerInternals } from '../../server/internals.ts';
import { Pool } from '../../server/limits/pool.ts';
import { authenticate } from '../http/server/authenticate.ts';
import { callerAddress } from '../http/server/caller-address.ts';
import { EXPIRED, whenExpired } from '../http/server/expiry.ts';
import { type Guard, guardOf } from '../http/server/guard.ts';
import { SharedClock } from '../http/server/heartbeat.ts';
import { queuedBytes } from '../http/server/node-sink.ts';
import { Refusal as HttpRefusal } from '../http/server/refusal.ts';
import { type Sink, UnflushedBytes } from '../http/server/unflushed.ts';
import { type Refusal, refuse } from './node-refusal.ts';
import { listenTo, loadWs, WS_OPTIONS } from './node-ws.ts';
import { settingsOf, type WebSocketLimits, type WebSocketOptions, type WebSocketSettings } from './options.ts';
import { CloseCode } from './socket.ts';
import { SocketTransport, type UnflushedPeer } from './socket-transport.ts';

/** Handles upgrade requests of an existing HTTP server: `httpServer.on('upgrade', handler.upgrade)`. */
export interface WebSocketHandler {
  /** Accepts or refuses the opening handshake of a client. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Refuses new clients, aborts running calls after `graceMs` ms (default: 0), closes all WebSockets, not the HTTP server. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

// Timeout of authentication, in milliseconds.
const AUTH_MS = 30_000;

// Maximum number of fragments of a message. A fragment takes more memory than its bytes.
const MAX_FRAGMENTS = 4096;

const NOBODY = { principal: undefined, lacking: undefined };
const CLOSING: Refusal = { status: 503, message: 'The server is closing', headers: { 'retry-after': '1' } };
const FULL: Refusal = { status: 503, message: 'Too many connections', headers: { 'retry-after': '10' } };
const TOO_SLOW: Refusal = { status: 503, message: 'It took too long to find out who is calling' };
const BROKEN: Refusal = { status: 500, message: 'Something broke on this side' };
const NOT_HERE: Refusal = { status: 404, message: 'There is nothing at this path' };

interface Opening {
  readonly request: HttpRequest;
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly address: string;
}

/** Accepts and serves WebSocket clients. With a path, requests to other paths get 404. */
export class Handler implements WebSocketHandler {
  /** Resolves when the package `ws` is loaded; rejects if it cannot be loaded. */
  readonly ready: Promise<unknown>;
  readonly #server: ServerInternals;
  readonly #auth: Authenticate | undefined;
  readonly #settings: WebSocketSettings;
  readonly #clientAddress: WebSocketOptions['clientAddress'];
  readonly #connections: Pool;
  readonly #unflushed: UnflushedBytes;
  readonly #guard: Guard;
  readonly #path: string | undefined;
  readonly #wss: Promise<WebSocketServer>;
  /** Sockets of connected clients and of pending handshakes. */
  readonly #sockets = new Set<Duplex>();
  /** Sockets of pending handshakes. */
  readonly #waiting = new Set<Duplex>();
  readonly #servings = new Set<Promise<TransportConnection>>();
  #closed: Promise<void> | undefined;

  constructor(server: ServerInternals, options: WebSocketOptions, path?: string) {
    this.#server = server;
    this.#auth = options.auth;
    this.#settings = settingsOf(options);
    this.#clientAddress = options.clientAddress;
    const { connections, slowReaderMs } = this.#settings.limits;
    this.#connections = new Pool(connections);
    this.#unflushed = new UnflushedBytes(server.usage.unflushed, new SharedClock(slowReaderMs), slowReaderMs);
    this.#guard = guardOf(options);
    this.#path = path;
    this.#wss = makeUpgrader(this.#settings);
    this.ready = this.#wss;
  }

  get limits(): WebSocketLimits {
    return this.#settings.limits;
  }

  readonly upgrade = (message: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // The client can disconnect at any time, and an `error` event without a listener would end the process.
    socket.on('error', () => {});
    const request = requestOf(message);
    const address = this.#addressOf(message, request);
    const refusal = this.refusalOf(request) ?? (address === undefined ? BROKEN : this.#refusalOfMore(address));
    if (refusal || address === undefined) {
      refuse(socket, refusal ?? BROKEN);
      return;
    }
    this.#sockets.add(socket);
    this.#connections.take(address);
    socket.once('close', () => {
      this.#connections.release(address);
      this.#sockets.delete(socket);
      this.#waiting.delete(socket);
    });
    void this.#take({ request, message, socket, head, address });
  };

  /** Returns the refusal of a request with a wrong Host, Origin or path; undefined if the request may continue. */
  refusalOf(request: HttpRequest): Refusal | undefined {
    const fault = this.#guard.refuse(request);
    if (fault !== undefined) return { status: 403, message: fault };
    const [path] = request.target.split('?', 1);
    return this.#path === undefined || path === this.#path ? undefined : NOT_HERE;
  }

  close(options: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closed ??= this.#close(options);
    return this.#closed;
  }

  /** Reports an error that belongs to no client, to the server's `onError`. */
  report(error: unknown): void {
    this.#server.report(error, { method: 'transport' });
  }

  // Returns undefined if the option `clientAddress` throws. `onError` gets the error.
  #addressOf(message: IncomingMessage, request: HttpRequest): string | undefined {
    try {
      return callerAddress(this.#clientAddress ? this.#clientAddress(request) : message.socket.remoteAddress);
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  #refusalOfMore(caller: string): Refusal | undefined {
    if (this.#closed) return CLOSING;
    return this.#connections.hasRoom({ caller }) ? undefined : FULL;
  }

  async #take({ request, message, socket, head, address }: Opening): Promise<void> {
    this.#waiting.add(socket);
    const timer = setTimeout(() => this.#turnAway(socket, TOO_SLOW), AUTH_MS);
    try {
      const wss = await this.#wss;
      const { principal, lacking } = this.#auth ? await authenticate(this.#auth, request) : NOBODY;
      if (lacking) throw lacking;
      if (this.#waiting.has(socket)) {
        wss.handleUpgrade(message, socket, head, (ws) => this.#serve(ws, principal, address, message.socket));
      }
    } catch (error) {
      this.#turnAwayBecause(error, socket);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(socket);
    }
  }

  #turnAway(socket: Duplex, refusal: Refusal): void {
    if (!this.#waiting.has(socket)) return;
    refuse(socket, refusal);
    this.#waiting.delete(socket);
    this.#sockets.delete(socket);
  }

  #turnAwayBecause(error: unknown, socket: Duplex): void {
    try {
      if (!(error instanceof HttpRefusal)) throw error;
      this.#turnAway(socket, { status: error.status, message: error.message, headers: error.fields });
    } catch (fault) {
      this.report(fault);
      this.#turnAway(socket, BROKEN);
    }
  }

  #serve(ws: WebSocket, principal: Principal | undefined, address: string, socket: Socket): void {
    const { limits, keepAliveMs } = this.#settings;
    const { messageBytes, unreadBytes } = limits;
    const caller = principal ? principalKey(principal) : address;
    const unflushed: UnflushedPeer = {
      hasRoom: () => this.#unflushed.hasRoom({ caller }),
      follow: (peer) => this.#unflushed.follow(new PeerSink(peer, socket), { caller }, undefined),
    };
    const options = {
      structure: limits,
      messageBytes,
      unreadBytes,
      alwaysReads: false,
      refusesNoise: true,
      goodbye: CloseCode.GoingAway,
      unflushed,
    };
    const transport = new SocketTransport(
      (listener) => listener.onOpen(listenTo(ws, socket, listener, keepAliveMs)),
      options,
    );
    const serving = serveConnection(this.#server, transport, { principal, caller });
    const fails = (error: unknown): void => {
      this.report(error);
      ws.terminate();
    };
    // A client cannot send a new token over an open WebSocket, so the connection ends when the token expires.
    const stopWaiting = whenExpired(principal, () => {
      transport.prepareFarewell(CloseCode.Policy, EXPIRED);
      serving.then((line) => line.retire(EXPIRED)).catch(fails);
    });
    this.#servings.add(serving);
    serving
      .then(({ closed }) => closed)
      .catch(fails)
      .finally(() => {
        stopWaiting();
        this.#servings.delete(serving);
      });
  }

  async #close({ graceMs = 0 }: { readonly graceMs?: number }): Promise<void> {
    for (const socket of this.#waiting) this.#turnAway(socket, CLOSING);
    await Promise.allSettled([...this.#servings].map(async (serving) => (await serving).close({ graceMs })));
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Bytes that wait for a peer: in the WebSocket, and in the write queue of its TCP socket. */
class PeerSink implements Sink {
  readonly #peer: Pick<Sink, 'waiting' | 'done' | 'cut'>;
  readonly #socket: Socket;

  constructor(peer: Pick<Sink, 'waiting' | 'done' | 'cut'>, socket: Socket) {
    this.#peer = peer;
    this.#socket = socket;
  }

  get waiting(): number {
    return this.#peer.waiting;
  }

  get queued(): number {
    return queuedBytes(this.#socket);
  }

  get done(): boolean {
    return this.#peer.done;
  }

  cut(): void {
    this.#peer.cut();
  }
}

async function makeUpgrader({ limits }: WebSocketSettings): Promise<WebSocketServer> {
  const { WebSocketServer } = await loadWs();
  return new WebSocketServer({
    ...WS_OPTIONS,
    noServer: true,
    clientTracking: false,
    maxPayload: limits.messageBytes,
    maxFragments: MAX_FRAGMENTS,
    handleProtocols: (offered) => offered.has('mcp') && 'mcp',
  });
}

/** Returns the head of a request in the form that guards and authenticators expect. */
export function requestOf(message: IncomingMessage): HttpRequest {
  return {
    method: message.method ?? '',
    target: message.url ?? '',
    // `headers` of Node drops duplicates of some fields, such as Host. Security checks must see all values.
    header: (name) => message.headersDistinct[name]?.join(', '),
    raw: message,
  };
}
