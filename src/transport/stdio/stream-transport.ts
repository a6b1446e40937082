/** Messages over a pair of byte streams, one per line: what stdio is, on either side of it. */

import type { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers';
import { ConnectionError, ParseError, toError } from '../../jsonrpc/errors.ts';
import { MAX_UNREADABLE, type ReceivedLimits } from '../../jsonrpc/json/json-limits.ts';
import { peekEnvelope } from '../../jsonrpc/json/json-scan.ts';
import { MessageReader } from '../../jsonrpc/json/message-reader.ts';
import type { Payload } from '../../jsonrpc/json/parse-message.ts';
import { type Message, serializeLine } from '../../jsonrpc/message.ts';
import type { Receiver, Transport } from '../../jsonrpc/transport.ts';
import { TimeSlice } from '../../timing/time-slice.ts';
import { Lines, MAX_LINE_LENGTH } from './lines.ts';
import { Outbox } from './outbox.ts';

/** Options of a stream transport. */
export interface StreamTransportOptions {
  /** Bytes one incoming line may have. Default: 10 MiB. */
  readonly maxLineLength?: number | undefined;
  /** How much structure one incoming message may have. Default: 64 levels, 100,000 elements. */
  readonly limits?: ReceivedLimits | undefined;
  /**
   * The input ended, and all that came was delivered. Messages can still be sent: whoever owns the transport decides
   * when to disconnect. Default: at once.
   */
  readonly onEnd?: (() => void) | undefined;
  /**
   * Reads on while the peer does not read, as a client has to: a server that does one thing after another reads again
   * only when its answer has been taken. Default: false, so that a peer that does not read makes no more work for us.
   */
  readonly alwaysReads?: boolean | undefined;
  /** Ends the connection after 1,000 messages in a row that could not be read. Default: false, they are skipped. */
  readonly refusesNoise?: boolean | undefined;
  /** Both streams stay open at the end, because they belong to somebody else. Default: false. */
  readonly keepOpen?: boolean | undefined;
}

// How long a peer that does not read can hold up the end.
const FLUSH_MS = 1000;

/** Unless told otherwise it reads no further while the peer does not read: memory stays bounded on both sides. */
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
  /** Other events have their turn before more lines are delivered. */
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
    // A stream that ended before has no event left to say so.
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onInputEnd);
  }

  send(message: Message | readonly Message[]): void | Promise<void> {
    if (this.#state === 'new') throw new ConnectionError('not-connected', 'The transport is not connected');
    if (this.#state !== 'open') throw new ConnectionError('closed', 'The connection is closed');
    // Throws what JSON cannot say before a byte of it is written, so there is never half a line.
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

  /** True if nothing is left. */
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

  // The call whose line is dropped need not wait for its timeout, if the line's beginning says which it is.
  #refuse(head: Uint8Array, maxLength: number): void {
    const { id, isResponse } = peekEnvelope(head);
    // The sender of a request is told, and cannot change an option of this side.
    const text = isResponse
      ? `Invalid response: a line of more than ${maxLength} bytes (option "maxLineLength")`
      : `Invalid request: a line of more than ${maxLength} bytes`;
    const fault = new ParseError('TooLong', text, id, isResponse);
    this.#reader.count(fault);
    this.#hand(fault);
  }

  // A fault in whoever listens must not take the process down from inside a stream's event.
  #hand(payload: Payload): void {
    try {
      this.#receiver?.onMessage(payload);
    } catch (error) {
      this.#receiver?.onError(toError(error, 'The receiver failed'));
    }
    if (this.#options.refusesNoise && this.#reader.unreadable >= MAX_UNREADABLE) this.#refuseNoise();
  }

  // What was answered is sent before the end.
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

// What is still on its way when nobody listens any more may fail, and an error without a listener ends the process.
function ignoreErrors(stream: Readable | Writable): void {
  const ignore = (): void => {};
  const stop = (): unknown => stream.off('error', ignore);
  stream.on('error', ignore);
  // The stdout of a process is never closed for good: it says that it is for each write that fails.
  stream.once('close', () => (stream.destroyed ? stop() : setImmediate(stop)));
}
