/** `StreamTransport`: messages over a pair of byte streams, one per line, as on stdio. */

import type { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers';
import { ConnectionError, ParseError, toError } from '../../jsonrpc/errors.ts';
import { peekEnvelope } from '../../jsonrpc/json/json-scan.ts';
import { MAX_UNREADABLE, type ReceivedLimits } from '../../jsonrpc/json/message-limits.ts';
import { MessageReader } from '../../jsonrpc/json/message-reader.ts';
import type { Payload } from '../../jsonrpc/json/parse-message.ts';
import { type Message, serializeLine } from '../../jsonrpc/message.ts';
import type { Receiver, Transport } from '../../jsonrpc/transport.ts';
import { TimeSlice } from '../../timing/time-slice.ts';
import { Lines, MAX_LINE_LENGTH } from './lines.ts';
import { Outbox } from './outbox.ts';

export interface StreamTransportOptions {
  /** Maximum length of a received line, in bytes. Default: 10 MiB. */
  readonly maxLineLength?: number | undefined;
  /** Limits on the structure of a received message. Default: 64 levels, 100,000 elements. */
  readonly limits?: ReceivedLimits | undefined;
  /** Called when the input has ended and all its messages are delivered. Messages can still be sent. Default: `disconnect`. */
  readonly onEnd?: (() => void) | undefined;
  /**
   * If true, reading continues during backpressure, as clients need: a server that handles one request at a time reads again
   * only when its response has been read. Default: false, so that a peer that does not read causes no more work.
   */
  readonly alwaysReads?: boolean | undefined;
  /** If true, the connection is closed after 1,000 unreadable messages in a row. Default: false. */
  readonly refusesNoise?: boolean | undefined;
  /** If true, both streams stay open at the end, because the caller owns them. Default: false. */
  readonly keepOpen?: boolean | undefined;
}

// Maximum delay of `disconnect` by a peer that does not read, in milliseconds.
const FLUSH_MS = 1000;

/** Transport over byte streams. Unless `alwaysReads` is set, backpressure also pauses the input, which limits memory. */
export class StreamTransport implements Transport {
  readonly cancelsBy = 'notification';
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #options: StreamTransportOptions;
  readonly #lines: Lines;
  readonly #reader: MessageReader;
  readonly #slice = new TimeSlice();
  readonly #outbox: Outbox;
  #receiver: Receiver | undefined;
  #state: 'new' | 'open' | 'closing' | 'closed' = 'new';
  /** True while delivery is paused, so that other events of the process can run. */
  #isYielding = false;
  #inputEnded = false;
  #endTold = false;
  #disconnected: Promise<void> | undefined;

  constructor(input: Readable, output: Writable, options: StreamTransportOptions = {}) {
    this.#input = input;
    this.#output = output;
    this.#options = options;
    this.#reader = new MessageReader(options.limits);
    const maxLength = options.maxLineLength ?? MAX_LINE_LENGTH;
    this.#lines = new Lines({ maxLength, onTooLong: (head) => this.#refuse(head, maxLength) });
    this.#outbox = new Outbox(output, {
      onFull: () => {
        if (!options.alwaysReads) input.pause();
      },
      onDrain: () => this.#goOn(),
      onOverflow: () => this.#close(new ConnectionError('failed', 'The peer does not read what it is sent')),
    });
  }

  get connected(): boolean {
    return this.#state === 'open';
  }

  async connect(receiver: Receiver): Promise<void> {
    if (this.#state !== 'new') throw new ConnectionError('failed', 'This transport was connected before');
    if (this.#output.destroyed || this.#output.writableEnded) {
      throw new ConnectionError('failed', 'The stream to write to is closed');
    }
    this.#state = 'open';
    this.#receiver = receiver;
    this.#output.on('error', this.#onError).on('close', this.#onOutputClose);
    this.#input
      .on('error', this.#onError)
      .on('end', this.#onInputEnd)
      .on('close', this.#onInputEnd)
      .on('data', this.#onData);
    // A stream that has ended before emits no more events.
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onInputEnd);
  }

  send(message: Message | readonly Message[]): void | Promise<void> {
    if (this.#state === 'new') throw new ConnectionError('not-connected', 'The transport is not connected');
    if (this.#state !== 'open') throw new ConnectionError('closed', 'The connection is closed');
    // Serialization errors are thrown before any byte is written, so that no partial line is sent.
    return this.#outbox.push(serializeLine(message));
  }

  disconnect(): Promise<void> {
    this.#disconnected ??= this.#disconnect();
    return this.#disconnected;
  }

  async #disconnect(): Promise<void> {
    if (this.#state === 'open') {
      this.#state = 'closing';
      this.#input.pause();
      await this.#outbox.flush(FLUSH_MS);
    }
    this.#close();
  }

  get #reads(): boolean {
    if (this.#state !== 'open' || this.#isYielding) return false;
    return this.#options.alwaysReads === true || !this.#outbox.full;
  }

  readonly #onData = (chunk: Uint8Array | string): void => {
    this.#lines.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    this.#deliver();
  };

  readonly #onInputEnd = (): void => {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    this.#lines.end();
    this.#deliver();
  };

  readonly #onError = (error: Error & { code?: unknown }): void => {
    this.#close(new ConnectionError('closed', `The connection broke (${error.code ?? error.name})`, { cause: error }));
  };

  readonly #onOutputClose = (): void => this.#close();

  #goOn(): void {
    this.#deliver();
    if (this.#reads) this.#input.resume();
  }

  #deliver(): void {
    let isAll: boolean;
    this.#outbox.hold();
    try {
      isAll = this.#handAll();
    } finally {
      this.#outbox.release();
    }
    if (isAll && this.#inputEnded) this.#tellEnd();
  }

  /** Delivers the received lines. Returns true if none is left. */
  #handAll(): boolean {
    this.#slice.begin();
    while (this.#reads) {
      const line = this.#lines.next();
      if (line === undefined) return true;
      const { length } = line;
      const payload = this.#reader.read(line);
      if (payload) this.#hand(payload);
      if (this.#slice.isOverAfter(length)) this.#yield();
    }
    return false;
  }

  #yield(): void {
    this.#isYielding = true;
    this.#input.pause();
    this.#slice.next(() => {
      this.#isYielding = false;
      this.#goOn();
    });
  }

  // Reports a line above `maxLength`, with the id from its beginning if possible, so that the call fails before its timeout.
  #refuse(head: Uint8Array, maxLength: number): void {
    const { id, isResponse } = peekEnvelope(head);
    // The sender of a request gets this message, and cannot change an option of this side.
    const text = isResponse
      ? `Invalid response: a line of more than ${maxLength} bytes (option "maxLineLength")`
      : `Invalid request: a line of more than ${maxLength} bytes`;
    const fault = new ParseError('TooLong', text, id, isResponse);
    this.#reader.count(fault);
    this.#hand(fault);
  }

  // An exception of the receiver must not end the process from within a stream event.
  #hand(payload: Payload): void {
    try {
      this.#receiver?.onMessage(payload);
    } catch (error) {
      this.#receiver?.onError(toError(error, 'The receiver failed'));
    }
    if (this.#options.refusesNoise && this.#reader.unreadable >= MAX_UNREADABLE) this.#refuseNoise();
  }

  // `disconnect` still sends the queued responses.
  #refuseNoise(): void {
    if (this.#state !== 'open') return;
    const text = `The client sent ${MAX_UNREADABLE} messages in a row that are not JSON-RPC: the connection is closed`;
    this.#receiver?.onError(new ConnectionError('malformed', text));
    void this.disconnect();
  }

  #tellEnd(): void {
    if (this.#endTold) return;
    this.#endTold = true;
    const { onEnd } = this.#options;
    if (onEnd) onEnd();
    else void this.disconnect();
  }

  #close(cause?: Error): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    const clean = this.#outbox.empty && cause === undefined;
    this.#outbox.close();
    this.#input.off('error', this.#onError).off('end', this.#onInputEnd).off('close', this.#onInputEnd);
    this.#input.off('data', this.#onData).pause();
    this.#output.off('error', this.#onError).off('close', this.#onOutputClose);
    if (!clean || !this.#options.keepOpen) ignoreErrors(this.#output);
    if (!this.#options.keepOpen) this.#end();
    this.#receiver?.onClose(cause);
  }

  #end(): void {
    ignoreErrors(this.#input);
    this.#output.end(() => this.#output.destroy());
    if (!Object.is(this.#input, this.#output)) this.#input.destroy();
  }
}

// Pending writes can fail after the end, and an `error` event without a listener would end the process.
function ignoreErrors(stream: Readable | Writable): void {
  const ignore = (): void => {};
  const stop = (): unknown => stream.off('error', ignore);
  stream.on('error', ignore);
  // `process.stdout` is never destroyed: it emits `close` for each write that fails.
  stream.once('close', () => (stream.destroyed ? stop() : setImmediate(stop)));
}
