/** `Lines`: splits a stream of bytes into lines. */

export interface LinesOptions {
  /** Maximum length of a line in bytes, without its line feed. Default: 10 MiB. */
  readonly maxLength?: number | undefined;
  /** Called once for each line above `maxLength`, with its first 4,096 bytes. The line is dropped. */
  readonly onTooLong: (head: Uint8Array) => void;
}

/** Default of `maxLength`, in bytes. */
export const MAX_LINE_LENGTH: number = 10 * 1024 * 1024;

const LF = 0x0a;
const OPEN_OBJECT = 0x7b;
const BLANK = /^[ \t\r\ufeff]*$/;
// Space, tab, carriage return, and the bytes of a byte order mark.
const BLANK_BYTES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0xef, 0xbb, 0xbf]);
const HEAD_LENGTH = 4096;
// Shorter parts of a line are copied into blocks, so that a line that arrives byte by byte takes no object per byte.
const LARGE_PART = 4096;
const BLOCK_LENGTH = 16 * 1024;
// Lines of up to this length are joined in the buffer `joined`, which is used again for the next line.
const MAX_KEPT_BUFFER = 2 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

// Shared by all instances, because each line is read before the next one is joined.
let joined: Buffer | undefined;

// A byte order mark is kept: `readText` skips it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Splits chunks into lines. The lines of one chunk are decoded together, because decoding many short lines takes much longer. The
 * parts of a line that lies in several chunks are joined once, so that the time is linear in its length.
 */
export class Lines {
  readonly #maxLength: number;
  readonly #onTooLong: (head: Uint8Array) => void;
  readonly #chunks: Uint8Array[] = [];
  /** Read position in the first chunk. */
  #at = 0;
  /** True if the first chunk is read as bytes: not valid UTF-8, longer than `maxLength`, or without another line feed. */
  #isBinary = false;
  /** Decoded lines of the first chunk, each with its line feed. `#textAt` is the start of the next line. */
  #text = '';
  #textAt = 0;
  /** Parts of a line whose end has not arrived, and their length in all. */
  #parts: Uint8Array[] = [];
  #held = 0;
  /** Block for short parts. The last part of the line, if it is in the block, lies between `#partStart` and `#used`. */
  #block: Buffer = EMPTY;
  #partStart = 0;
  #used = 0;
  /** True while the rest of a line above `maxLength` is dropped. */
  #isDropping = false;
  #isEnded = false;

  constructor({ maxLength = MAX_LINE_LENGTH, onTooLong }: LinesOptions) {
    this.#maxLength = maxLength;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /** Marks the end of the stream: the bytes after the last line feed become a line. */
  end(): void {
    this.#isEnded = true;
  }

  /**
   * Returns the next line that is not blank, without its line feed; undefined if no line has arrived. Lines in several chunks
   * or with invalid UTF-8 are returned as bytes, which the next call overwrites.
   */
  next(): string | Uint8Array | undefined {
    for (;;) {
      const text = this.#nextOfText();
      if (text !== undefined) return text;
      const chunk = this.#chunks[0];
      if (!chunk) return this.#isEnded ? this.#take(EMPTY, true) : undefined;
      if (this.#decode(chunk)) continue;
      let start = this.#at;
      // Empty lines are skipped here, so that many of them create no objects.
      if (this.#held === 0 && !this.#isDropping) while (chunk[start] === LF) start++;
      const newline = chunk.indexOf(LF, start);
      const end = newline === -1 ? chunk.length : newline;
      this.#advance(chunk, end + 1);
      const line = this.#take(chunk.subarray(start, end), newline !== -1);
      if (line) return line;
    }
  }

  #nextOfText(): string | undefined {
    const text = this.#text;
    while (this.#textAt < text.length) {
      const start = this.#textAt;
      const end = text.indexOf('\n', start);
      this.#textAt = end + 1;
      if (end === start) continue;
      const line = text.slice(start, end);
      if (line.charCodeAt(0) === OPEN_OBJECT || !BLANK.test(line)) return line;
    }
    this.#text = '';
    return undefined;
  }

  /** Decodes the lines that end in this chunk. Returns false if the next line must be read as bytes. */
  #decode(chunk: Uint8Array): boolean {
    if (this.#held > 0 || this.#isDropping || this.#isBinary) return false;
    const end = chunk.length > this.#maxLength ? 0 : chunk.lastIndexOf(LF) + 1;
    this.#isBinary = end <= this.#at;
    if (this.#isBinary) return false;
    try {
      this.#text = decoder.decode(chunk.subarray(this.#at, end));
    } catch {
      this.#isBinary = true;
      return false;
    }
    this.#textAt = 0;
    this.#advance(chunk, end);
    return true;
  }

  #advance(chunk: Uint8Array, to: number): void {
    this.#at = to;
    if (to < chunk.length) return;
    this.#chunks.shift();
    this.#at = 0;
    this.#isBinary = false;
  }

  /** Returns the line that `part` completes. If the line is not complete, stores `part`. */
  #take(part: Uint8Array, isComplete: boolean): Uint8Array | undefined {
    if (this.#isDropping) {
      this.#isDropping = !isComplete;
      return undefined;
    }
    if (this.#held + part.length > this.#maxLength) {
      this.#isDropping = !isComplete;
      this.#hold(part);
      const head = Buffer.concat(this.#parts, Math.min(this.#held, HEAD_LENGTH));
      this.#release();
      this.#onTooLong(head);
      return undefined;
    }
    if (this.#held > 0 || !isComplete) this.#hold(part);
    if (!isComplete) return undefined;
    const line = this.#held > 0 ? this.#join() : part;
    if (this.#held > 0) this.#release();
    return line.every((byte) => BLANK_BYTES.has(byte)) ? undefined : line;
  }

  #hold(part: Uint8Array): void {
    this.#held += part.length;
    if (part.length >= LARGE_PART) {
      this.#parts.push(part);
      this.#partStart = this.#used;
      return;
    }
    if (this.#used + part.length > this.#block.length) {
      this.#block = Buffer.allocUnsafeSlow(BLOCK_LENGTH);
      this.#partStart = 0;
      this.#used = 0;
    }
    // A short part that follows another one in the block extends it.
    if (this.#used > this.#partStart) this.#parts.pop();
    this.#block.set(part, this.#used);
    this.#used += part.length;
    this.#parts.push(this.#block.subarray(this.#partStart, this.#used));
  }

  #join(): Uint8Array {
    if (this.#parts.length === 1) return this.#parts[0] as Uint8Array;
    if (this.#held > MAX_KEPT_BUFFER) return Buffer.concat(this.#parts);
    joined ??= Buffer.allocUnsafeSlow(MAX_KEPT_BUFFER);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined.subarray(0, at);
  }

  #release(): void {
    this.#parts = [];
    this.#held = 0;
    this.#partStart = 0;
    this.#used = 0;
  }
}
