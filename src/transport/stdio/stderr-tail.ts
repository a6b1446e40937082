/** What a program writes on stderr: all of it is read, so that it never blocks, and the last of it is kept for errors. */

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { StderrSink } from '../../client/command.ts';
import { callGuarded } from '../../jsonrpc/errors.ts';

const KEPT = 4096;
// An error may print far more after its message: frames, causes, properties.
const SEARCHED = 32 * 1024;
const MAX_WAITING = 1024 * 1024;

/** The end of a stream of bytes. */
export class Tail {
  // Twice as long as what is kept, so that bytes are moved once in 32 KB and not with each chunk.
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

  /** The last 4 KB as text; an incomplete character at either end is left out. */
  get text(): string {
    return this.#last(KEPT);
  }

  /** The last 32 KB as text. */
  get longText(): string {
    return this.#last(SEARCHED);
  }

  #last(count: number): string {
    let start = Math.max(this.#length - count, 0);
    const end = start + 3;
    if (this.#received > count) while (start < end && isContinuation(this.#bytes[start])) start++;
    // Streaming, the decoder keeps for later what is incomplete at the end.
    return new TextDecoder().decode(this.#bytes.subarray(start, this.#length), { stream: true });
  }
}

/** Reads a program's stderr until it ends. What fails in a sink goes to `onError`. */
export function readStderr(stream: Readable, sink: StderrSink, onError: (error: Error) => void): Tail {
  const tail = new Tail();
  const pass = sink === 'keep' ? () => {} : sink === 'inherit' ? forward(stream) : decode(stream, sink, onError);
  stream.on('data', (chunk: Uint8Array) => {
    tail.push(chunk);
    pass(chunk);
  });
  // A pipe that breaks has nothing more to tell.
  stream.on('error', () => {});
  return tail;
}

function decode(stream: Readable, listener: (text: string) => void, onError: (error: Error) => void) {
  const decoder = new StringDecoder('utf8');
  const tell = (text: string): void => {
    // It may be asynchronous all the same.
    if (text !== '') callGuarded(() => listener(text), onError, 'The listener for stderr failed');
  };
  stream.once('close', () => tell(decoder.end()));
  return (chunk: Uint8Array): void => tell(decoder.write(Buffer.from(chunk)));
}

let forwarding = 0;
const ignore = (): void => {};

// Our own stderr may be closed; as long as we write there for others, that must not end the process.
function forward(stream: Readable) {
  if (forwarding++ === 0) process.stderr.on('error', ignore);
  stream.once('close', () => {
    if (--forwarding === 0) process.stderr.off('error', ignore);
  });
  return (chunk: Uint8Array): void => {
    // Nobody reads ours: what a server says meanwhile is not kept for them.
    if (process.stderr.writableLength < MAX_WAITING) process.stderr.write(chunk);
  };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
