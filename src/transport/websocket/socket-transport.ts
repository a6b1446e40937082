/** `SocketTransport`: messages over a WebSocket, one text message each, for clients and servers. */

import { ConnectionError, callGuarded, toError } from '../../jsonrpc/errors.ts';
import type { ReceivedLimits } from '../../jsonrpc/json/message-limits.ts';
import { MAX_UNREADABLE } from '../../jsonrpc/json/message-limits.ts';
import { MessageReader } from '../../jsonrpc/json/message-reader.ts';
import { type Message, serialize } from '../../jsonrpc/message.ts';
import type { Receiver, Transport } from '../../jsonrpc/transport.ts';
import { TimeSlice } from '../../timing/time-slice.ts';
import { type Sink, UNCOUNTED_BYTES, type UnflushedSink } from '../http/server/unflushed.ts';
import {
  CloseCode,
  CONGESTED_BYTES,
  FAREWELL_MS,
  type OpenSocket,
  type Socket,
  type SocketListener,
} from './socket.ts';

export interface SocketTransportOptions {
  /** Limits on the structure of a received message. */
  readonly structure: ReceivedLimits;
  /** Maximum size of a received message, in bytes, for sockets that do not check it themselves. */
  readonly messageBytes: number;
  /** Maximum bytes that wait for a peer that does not read. Above it, the connection is closed. */
  readonly unreadBytes: number;
  /** If true, reading continues during backpressure, as clients need: some servers read again only when a response was read. */
  readonly alwaysReads: boolean;
  /** If true, the connection is closed after 1,000 unreadable messages in a row. Default: false. */
  readonly refusesNoise?: boolean;
  /** Close code that `disconnect` sends. */
  readonly goodbye: CloseCode;
  /** Counts the bytes that wait for the peer, for a limit that all peers share. Default: not counted. */
  readonly unflushed?: UnflushedPeer;
  /** Timeout of the opening handshake, in milliseconds. Default: no limit. */
  readonly openMs?: number;
}

/** Counts the bytes that wait for one peer, for a limit that all peers share. */
export interface UnflushedPeer {
  /** False if the limit that all peers share is reached. */
  hasRoom(): boolean;
  /** Counts the bytes that wait for this peer until all of them have left. */
  follow(peer: Pick<Sink, 'waiting' | 'done' | 'cut'>): UnflushedSink;
}

/** Maximum number of messages to skip after the close frame was sent, until the close frame of the peer arrives. */
const MAX_LATE = 1000;
const encoder = new TextEncoder();

/** Transport over a WebSocket. Limits the memory for messages of a peer that does not read. */
export class SocketTransport implements Transport, SocketListener {
  readonly cancelsBy = 'notification';
  readonly #open: OpenSocket;
  readonly #options: SocketTransportOptions;
  readonly #reader: MessageReader;
  readonly #slice = new TimeSlice();
  readonly #opening = new AbortController();
  readonly #opened = deferred();
  readonly #gone = deferred();
  #receiver: Receiver | undefined;
  #socket: Socket | undefined;
  #state: 'new' | 'opening' | 'open' | 'closing' | 'closed' = 'new';
  #cause: ConnectionError | undefined;
  /** Resolves when backpressure ends; undefined without backpressure. */
  #drained: Deferred | undefined;
  #unflushed: UnflushedSink | undefined;
  /** Messages received after this side has closed the connection. */
  #late = 0;
  /** True while delivery is paused, so that other events of the process can run. */
  #isYielding = false;
  /** Messages received while delivery is suspended. */
  #held: (Uint8Array | string)[] = [];
  /** Ends the connection after the held messages. Set if the socket has ended before they were delivered. */
  #heldEnd: (() => void) | undefined;
  /** Close code and reason that `disconnect` sends. */
  #farewell: { readonly code: CloseCode; readonly reason?: string };
  /** Timeout of the opening handshake, later of the closing handshake. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(open: OpenSocket, options: SocketTransportOptions) {
    this.#open = open;
    this.#options = options;
    this.#reader = new MessageReader(options.structure);
    this.#farewell = { code: options.goodbye };
  }

  /** Sets the close code and reason that `disconnect` sends. */
  prepareFarewell(code: CloseCode, reason: string): void {
    this.#farewell = { code, reason };
  }

  get connected(): boolean {
    return this.#state === 'open';
  }

  async connect(receiver: Receiver): Promise<void> {
    if (this.#state !== 'new') throw new ConnectionError('failed', 'This transport was connected before');
    this.#state = 'opening';
    this.#receiver = receiver;
    const { openMs } = this.#options;
    if (openMs !== undefined) this.#timer = setTimeout(() => this.#abandon(tooLate(openMs)), openMs);
    // A socket that is already open calls `onOpen` synchronously, so that no message is missed.
    callGuarded(
      () => this.#open(this, this.#opening.signal),
      (error) => this.onEnd(asConnectionError(error)),
    );
    await this.#opened.promise;
  }

  send(message: Message | readonly Message[]): void | Promise<void> {
    const socket = this.#socket;
    if (this.#state === 'new' || this.#state === 'opening' || !socket) {
      throw new ConnectionError('not-connected', 'The transport is not connected');
    }
    if (this.#state !== 'open') throw new ConnectionError('closed', 'The connection is closed');
    const text = serialize(message);
    // Only earlier messages count: a single message may be longer than the limit.
    if (this.#leavesTooMuch(socket, text.length)) throw this.#giveUp(socket);
    socket.send(text);
    this.#countUnflushed(socket);
    if (socket.unsent <= CONGESTED_BYTES) return undefined;
    if (!this.#options.alwaysReads) socket.pause();
    this.#drained ??= deferred();
    return this.#drained.promise;
  }

  #leavesTooMuch({ unsent }: Socket, length: number): boolean {
    const { unreadBytes, unflushed } = this.#options;
    return unsent > unreadBytes || (unsent + length > UNCOUNTED_BYTES && unflushed?.hasRoom() === false);
  }

  #countUnflushed(socket: Socket): void {
    if (this.#unflushed) this.#unflushed.count();
    else if (socket.unsent > UNCOUNTED_BYTES) this.#unflushed = this.#options.unflushed?.follow(this.#sinkOf(socket));
  }

  #sinkOf(socket: Socket): Pick<Sink, 'waiting' | 'done' | 'cut'> {
    const isClosed = (): boolean => this.#state === 'closed';
    return {
      get waiting() {
        return socket.unsent;
      },
      get done() {
        return isClosed();
      },
      cut: () => void this.#giveUp(socket),
    };
  }

  async disconnect(): Promise<void> {
    if (this.#state === 'new') this.#state = 'closed';
    else if (this.#state === 'opening') this.#abandon();
    else if (this.#state === 'open') this.#close(this.#farewell.code, this.#farewell.reason);
    if (this.#receiver) await this.#gone.promise;
  }

  onOpen(socket: Socket): void {
    this.#socket = socket;
    if (this.#state === 'opening') {
      this.#state = 'open';
      this.#stopTimer();
      this.#opened.resolve();
    } else {
      socket.terminate();
    }
  }

  onText(text: Uint8Array | string): void {
    // Messages that were read from the network together arrive one after another, even if the first one pauses the socket.
    if (this.#state !== 'open') this.#takeLate(text);
    else if (this.#delivers) this.#deliver(text);
    else this.#held.push(text);
  }

  get #delivers(): boolean {
    return !this.#isYielding && (!this.#drained || this.#options.alwaysReads);
  }

  #deliver(text: Uint8Array | string): void {
    if (this.#state !== 'open') return;
    const { messageBytes, refusesNoise } = this.#options;
    const bytes = typeof text === 'string' ? encoder.encode(text) : text;
    if (bytes.length > messageBytes) {
      this.#refuse(
        CloseCode.TooBig,
        `The other side sent a message of more than ${messageBytes} bytes (option "maxMessageBytes"; of a server "messageBytes")`,
      );
      return;
    }
    // An exception of the receiver must not end the process from within a socket event.
    try {
      const payload = this.#reader.read(bytes);
      if (payload) this.#receiver?.onMessage(payload);
    } catch (error) {
      this.#receiver?.onError(toError(error, 'The receiver failed'));
    }
    if (refusesNoise && this.#reader.unreadable >= MAX_UNREADABLE) this.#refuseNoise();
    this.#count(bytes);
  }

  // Skips messages that the peer sent before it received the close frame. A peer that sends too many is disconnected.
  #takeLate(text: Uint8Array | string): void {
    if (++this.#late > MAX_LATE) this.#socket?.terminate();
    else this.#count(text);
  }

  #count({ length }: Uint8Array | string): void {
    if (this.#slice.isOverAfter(length)) this.#yield();
  }

  #refuseNoise(): void {
    const text = `The client sent ${MAX_UNREADABLE} messages in a row that are not JSON-RPC: the connection is closed`;
    if (this.#state === 'open') this.#receiver?.onError(new ConnectionError('malformed', text));
    this.#refuse(CloseCode.Policy, text);
  }

  #yield(): void {
    if (this.#isYielding || this.#state === 'closed') return;
    this.#isYielding = true;
    this.#socket?.pause();
    this.#slice.next(() => {
      this.#isYielding = false;
      this.#goOn();
    });
  }

  onBinary(): void {
    this.#refuse(CloseCode.Unsupported, 'The other side sent a message that is no text');
  }

  onSent(): void {
    // Backpressure ends at half the limit (hysteresis), so that the state does not change with every message.
    if (!this.#drained || (this.#socket?.unsent ?? 0) > CONGESTED_BYTES / 2) return;
    this.#letGo();
    this.#goOn();
  }

  onBroken(cause: ConnectionError): void {
    this.#cause ??= cause;
    if (this.#state === 'open') this.#state = 'closing';
    this.#limitFarewell();
  }

  onEnd(cause?: ConnectionError): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'open' && this.#isYielding && this.#held.length > 0) {
      this.#heldEnd ??= () => this.onEnd(cause);
      return;
    }
    const wasOpen = this.#socket !== undefined;
    const wasAsked = this.#state === 'closing' && this.#cause === undefined;
    this.#state = 'closed';
    this.#stopTimer();
    this.#letGo();
    this.#unflushed?.count();
    const why = this.#cause ?? (wasAsked ? undefined : cause);
    if (wasOpen) this.#receiver?.onClose(why);
    else this.#opened.reject(why ?? new ConnectionError('closed', 'The connection was closed before it was open'));
    this.#gone.resolve();
  }

  #goOn(): void {
    const held = this.#held;
    let at = 0;
    while (at < held.length && this.#delivers) this.#deliver(held[at++] as Uint8Array | string);
    this.#held = held.slice(at);
    if (!this.#delivers) return;
    if (this.#state !== 'closed' && !this.#heldEnd) this.#socket?.resume();
    this.#heldEnd?.();
  }

  #abandon(cause?: ConnectionError): void {
    this.onEnd(cause);
    this.#opening.abort();
  }

  #refuse(code: CloseCode, why: string): void {
    if (this.#state !== 'open') return;
    this.#cause = new ConnectionError(code === CloseCode.TooBig ? 'too-large' : 'malformed', why);
    this.#close(code);
  }

  #close(code: CloseCode, reason?: string): void {
    this.#state = 'closing';
    // Reading must continue, to receive the close frame of the peer.
    this.#socket?.resume();
    this.#socket?.close(code, reason);
    this.#limitFarewell();
  }

  #limitFarewell(): void {
    if (this.#state === 'closing') this.#timer ??= setTimeout(() => this.#socket?.terminate(), FAREWELL_MS);
  }

  #giveUp(socket: Socket): ConnectionError {
    this.#cause = new ConnectionError('failed', 'The other side does not read what it is sent');
    this.#state = 'closing';
    socket.terminate();
    return this.#cause;
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #letGo(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

function tooLate(milliseconds: number): ConnectionError {
  return new ConnectionError('timeout', `The WebSocket was not open within ${milliseconds} ms`);
}

function asConnectionError(error: Error): ConnectionError {
  return error instanceof ConnectionError ? error : new ConnectionError('failed', error.message, { cause: error });
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

function deferred(): Deferred {
  let resolve = (): void => {};
  let reject = (_error: Error): void => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
