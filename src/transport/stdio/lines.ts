/** Cuts a stream of bytes into lines, however the stream was cut into chunks. */

import { TextLines } from './text-lines.ts';

/** Options of a line splitter. */
export interface LinesOptions {
  /** Bytes one line may have, its end not counted. Default: 10 MiB. */
  readonly maxLength?: number | undefined;
  /** A line got too long; called once for it, with its first bytes. The rest of it is dropped as it streams by. */
  readonly onTooLong: (head: Uint8Array) => void;
}

/** How long a line may be unless somebody says otherwise. */
export const MAX_LINE_LENGTH: number = 10 * 1024 * 1024;

const LF = 0x0a;
// Space, tab, CR, and the bytes of a byte order mark, which may stand at the very beginning.
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0xef, 0xbb, 0xbf]);
const HEAD = 4096;
// A piece of a line as long as this is worth an object of its own.
const LARGE = 4096;
const BLOCK = 16 * 1024;
const NOTHING = new Uint8Array(0);
// Lines of up to this length are pieced together where the ones before them were, so that each need not be collected.
const KEPT = 2 * 1024 * 1024;

// One for all: a line is read before another is asked for.
let room: Uint8Array | undefined;

/**
 * `push` what arrives, then take lines with `next` until there are none; whoever cannot take more stops asking. A chunk is
 * read in up to three parts: the end of a line that began before it, all lines that lie within it (which are decoded
 * together), and the beginning of a line that goes on behind it.
 */
export class Lines {
  readonly #maxLength: number;
  readonly #onTooLong: (head: Uint8Array) => void;
  readonly #chunks: Uint8Array[] = [];
  /** Where the first chunk's unread part begins. */
  #at = 0;
  /** Lines that lay within one chunk. */
  readonly #whole = new TextLines();
  /** The chunk that was looked at for such lines. */
  #seen: Uint8Array | undefined;
  // The beginning of a line whose end has not arrived: large pieces as they came, small ones gathered in blocks, so that
  // a long line is copied once, and one that arrives byte by byte costs neither quadratic time nor an object per byte.
  #pieces: Uint8Array[] = [];
  #block: Uint8Array = NOTHING;
  /** How much of the block is used. */
  #used = 0;
  #heldLength = 0;
  #dropping = false;
  #ended = false;

  constructor(options: LinesOptions) {
    this.#maxLength = options.maxLength ?? MAX_LINE_LENGTH;
    this.#onTooLong = options.onTooLong;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /** Nothing more will be pushed: what stands after the last line end is a line too. */
  end(): void {
    this.#ended = true;
  }

  /**
   * The next line that is not blank, without its end: text, or bytes where it had to be pieced together or is not UTF-8.
   * Blanks around it and a mark are left to whoever reads it. Bytes are a view: read them before the next call.
   */
  next(): string | Uint8Array | undefined {
    return this.#whole.next() ?? this.#nextFromChunks();
  }

  #nextFromChunks(): string | Uint8Array | undefined {
    for (let chunk = this.#chunks[0]; chunk; chunk = this.#chunks[0]) {
      if (this.#openWhole(chunk)) {
        const text = this.#whole.next();
        if (text !== undefined) return text;
        continue;
      }
      let start = this.#at;
      // A flood of empty lines is stepped over without making a view of each.
      if (this.#heldLength === 0 && !this.#dropping) while (chunk[start] === LF) start++;
      const newline = chunk.indexOf(LF, start);
      const end = newline === -1 ? chunk.length : newline;
      this.#stepTo(end + 1, chunk);
      const line = this.#take(chunk.subarray(start, end), newline !== -1);
      if (line) return line;
    }
    return this.#ended ? this.#take(NOTHING, true) : undefined;
  }

  // Once per chunk, at the first line that begins in it.
  #openWhole(chunk: Uint8Array): boolean {
    if (this.#seen === chunk || this.#heldLength > 0 || this.#dropping) return false;
    this.#seen = chunk;
    if (chunk.length > this.#maxLength) return false;
    const length = this.#whole.open(chunk.subarray(this.#at));
    if (length > 0) this.#stepTo(this.#at + length, chunk);
    return length > 0;
  }

  #stepTo(at: number, chunk: Uint8Array): void {
    if (at < chunk.length) {
      this.#at = at;
      return;
    }
    this.#chunks.shift();
    this.#at = 0;
    this.#seen = undefined;
  }

  #take(part: Uint8Array, complete: boolean): Uint8Array | undefined {
    if (this.#dropping) {
      this.#dropping = !complete;
      return undefined;
    }
    if (this.#heldLength + part.length > this.#maxLength) {
      this.#dropping = !complete;
      this.#hold(part);
      this.#closeBlock();
      const head = Buffer.concat(this.#pieces, Math.min(this.#heldLength, HEAD));
      this.#release();
      this.#onTooLong(head);
      return undefined;
    }
    if (complete && this.#heldLength === 0) return unlessBlank(part);
    this.#hold(part);
    if (!complete) return undefined;
    const line = this.#held();
    this.#release();
    return unlessBlank(line);
  }

  #hold(part: Uint8Array): void {
    this.#heldLength += part.length;
    if (part.length >= LARGE) {
      this.#closeBlock();
      this.#pieces.push(part);
      return;
    }
    if (this.#used + part.length > this.#block.length) {
      this.#closeBlock();
      this.#block = new Uint8Array(BLOCK);
    }
    this.#block.set(part, this.#used);
    this.#used += part.length;
  }

  #closeBlock(): void {
    if (this.#used === 0) return;
    this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = NOTHING;
    this.#used = 0;
  }

  #held(): Uint8Array {
    const length = this.#heldLength;
    if (this.#pieces.length === 0) return this.#block.subarray(0, length);
    this.#closeBlock();
    if (length > KEPT) return Buffer.concat(this.#pieces);
    // A `Buffer` is searched much faster than other bytes.
    room ??= Buffer.allocUnsafeSlow(KEPT);
    let at = 0;
    for (const piece of this.#pieces) {
      room.set(piece, at);
      at += piece.length;
    }
    return room.subarray(0, length);
  }

  // The block serves again: what was given of it is read before anything is held.
  #release(): void {
    this.#heldLength = 0;
    this.#used = 0;
    this.#pieces = [];
  }
}

function unlessBlank(line: Uint8Array): Uint8Array | undefined {
  for (let at = 0; at < line.length; at++) if (!BLANKS.has(line[at] as number)) return line;
  return undefined;
}
