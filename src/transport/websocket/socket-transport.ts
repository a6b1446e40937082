/** Messages over a WebSocket, one text message each: the same on either side of it. */

import { ConnectionError, callGuarded, toError } from '../../jsonrpc/errors.ts';
import type { ReceivedLimits } from '../../jsonrpc/json/json-limits.ts';
import { MAX_UNREADABLE } from '../../jsonrpc/json/json-limits.ts';
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

/** Options of a socket transport. */
export interface SocketTransportOptions {
  /** How much structure one incoming message may have. */
  readonly structure: ReceivedLimits;
  /** Bytes of one incoming message, for sockets that do not look themselves. */
  readonly messageBytes: number;
  /** Bytes the peer may leave unread; if it is sent more, the connection ends. */
  readonly unreadBytes: number;
  /** Reads on while the peer does not read, as a client has to. */
  readonly alwaysReads: boolean;
  /** Closes the connection after 1,000 messages in a row that could not be read; otherwise they are skipped. */
  readonly refusesNoise?: boolean;
  /** What it says when it disconnects. */
  readonly goodbye: CloseCode;
  /** Counts what waits for the peer, where that is bounded for all peers together. */
  readonly unflushed?: UnflushedPeer;
  /** Milliseconds until it has to be open. Default: no limit. */
  readonly openMs?: number;
}

/** The account of one peer among all. */
export interface UnflushedPeer {
  /** False if all peers together leave too much unread. */
  hasRoom(): boolean;
  /** Counts what waits for this peer until it has left. */
  follow(peer: Pick<Sink, 'waiting' | 'done' | 'cut'>): UnflushedSink;
}

/** Messages that are read after the close frame was sent, until the peer answers it. */
const MAX_LATE = 1000;
const encoder = new TextEncoder();

/** Carries every message of every revision. While the peer does not read, memory stays bounded on both sides. */
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
  /** Resolves when the peer reads again; undefined while it does. */
  #drained: Deferred | undefined;
  #unflushed: UnflushedSink | undefined;
  /** Other events have their turn before more messages are delivered. */
  /** Messages that came after the connection was closed on this side. */
  #late = 0;
  #isYielding = false;
  /** Messages that arrived while none is delivered. */
  #held: (Uint8Array | string)[] = [];
  /** The end, if that arrived behind messages that are held. */
  #heldEnd: (() => void) | undefined;
  /** What is said when this side disconnects. */
  #farewell: { readonly code: CloseCode; readonly reason?: string };
  /** Ends the waiting for the opening, later that for the end. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(open: OpenSocket, options: SocketTransportOptions) {
    this.#open = open;
    this.#options = options;
    this.#reader = new MessageReader(options.structure);
    this.#farewell = { code: options.goodbye };
  }

  /** Has something else to say when it disconnects. */
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
    // A socket that is open already says so at once, so that nothing can arrive in between.
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
    // What is too much is left by earlier messages: one alone may be as long as it is.
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
    // What was read together comes together, also after the pause that the first of it caused.
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
    // A fault in whoever listens must not take the process down from inside a socket's event.
    try {
      const payload = this.#reader.read(bytes);
      if (payload) this.#receiver?.onMessage(payload);
    } catch (error) {
      this.#receiver?.onError(toError(error, 'The receiver failed'));
    }
    if (refusesNoise && this.#reader.unreadable >= MAX_UNREADABLE) this.#refuseNoise();
    this.#count(bytes);
  }

  // What was on its way when the connection was closed is skipped; a peer that sends on and on is cut off.
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
    // Half of it, so that a peer just at the mark does not start and stop with every message.
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
    // The other side's goodbye has to be read.
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
