/** Reads all stderr output of a server process, so that the process never blocks, and keeps the end of it for errors. */

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { StderrSink } from '../../client/command.ts';
import { callGuarded } from '../../jsonrpc/errors.ts';

const KEPT = 4096;
// Bytes in which the error message is searched: stack traces, causes and properties can follow it.
const SEARCHED = 32 * 1024;
const MAX_WAITING = 1024 * 1024;

/** The last 32 KiB of a byte stream. */
export class Tail {
  // Twice the kept size, so that bytes are moved once per 32 KiB instead of with each chunk.
  readonly #bytes = Buffer.alloc(2 * SEARCHED);
  #length = 0;
  #received = 0;

  push(chunk: Uint8Array): void {
    const taken = chunk.subarray(Math.max(chunk.length - SEARCHED, 0));
    if (this.#length + taken.length > this.#bytes.length) {
      const kept = SEARCHED - taken.length;
      this.#bytes.copyWithin(0, this.#length - kept, this.#length);
      this.#length = kept;
    }
    this.#bytes.set(taken, this.#length);
    this.#length += taken.length;
    this.#received += chunk.length;
  }

  /** The last 4 KiB as text, without incomplete characters at either end. */
  get text(): string {
    return this.#last(KEPT);
  }

  /** The last 32 KiB as text. */
  get longText(): string {
    return this.#last(SEARCHED);
  }

  #last(count: number): string {
    let start = Math.max(this.#length - count, 0);
    const end = start + 3;
    if (this.#received > count) while (start < end && isContinuation(this.#bytes[start])) start++;
    // With `stream`, the decoder omits an incomplete character at the end.
    return new TextDecoder().decode(this.#bytes.subarray(start, this.#length), { stream: true });
  }
}

/** Reads stderr to its end and forwards it to `sink`. Exceptions of a sink go to `onError`. */
export function readStderr(stream: Readable, sink: StderrSink, onError: (error: Error) => void): Tail {
  const tail = new Tail();
  const pass = sink === 'keep' ? () => {} : sink === 'inherit' ? forward(stream) : decode(stream, sink, onError);
  stream.on('data', (chunk: Uint8Array) => {
    tail.push(chunk);
    pass(chunk);
  });
  // A broken pipe ends the output, and is no error of the connection.
  stream.on('error', () => {});
  return tail;
}

function decode(stream: Readable, listener: (text: string) => void, onError: (error: Error) => void) {
  const decoder = new StringDecoder('utf8');
  const tell = (text: string): void => {
    // The listener can return a promise, although its type does not.
    if (text !== '') callGuarded(() => listener(text), onError, 'The listener for stderr failed');
  };
  stream.once('close', () => tell(decoder.end()));
  return (chunk: Uint8Array): void => tell(decoder.write(Buffer.from(chunk)));
}

let forwarding = 0;
const ignore = (): void => {};

// While output is forwarded, an error of this process's stderr, such as a closed pipe, must not end the process.
function forward(stream: Readable) {
  if (forwarding++ === 0) process.stderr.on('error', ignore);
  stream.once('close', () => {
    if (--forwarding === 0) process.stderr.off('error', ignore);
  });
  return (chunk: Uint8Array): void => {
    // Drops output while the stderr of this process is not read, to limit memory.
    if (process.stderr.writableLength < MAX_WAITING) process.stderr.write(chunk);
  };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
