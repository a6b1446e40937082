// Where an HTTP answer ends: by Content-Length, or by the last of its chunks, wherever the bytes happen to be cut.

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const CR = 13;
const LF = 10;
const SEMICOLON = 59;

/** Reads the answers of one connection, one after the other. `onBody`, if there is one, gets every piece of a body. */
export class AnswerReader {
  /** Of the latest answer. */
  status = 0;
  /** Its status line and header fields. */
  head = '';
  #onBody;
  /** The beginning of a head whose end has not come. */
  #beginning;
  #isInBody = false;
  #isChunked = false;
  /** What is to come of the body, or of the chunk. */
  #left = 0;
  /** Within the chunks: which line is being read, and what was found in it. */
  #line = 'size';
  #size = 0;
  #hasExtension = false;
  #length = 0;

  constructor(onBody) {
    this.#onBody = onBody;
  }

  /** Takes what came, which is not kept. Gives whether the answer is whole. */
  take(bytes) {
    if (this.#isInBody) return this.#takeBody(bytes, 0);
    const all = this.#beginning ? Buffer.concat([this.#beginning, bytes]) : bytes;
    const at = all.indexOf(END_OF_HEAD);
    if (at < 0) {
      this.#beginning = Buffer.from(all);
      return false;
    }
    this.#beginning = undefined;
    this.#readHead(all.latin1Slice(0, at));
    return this.#takeBody(all, at + END_OF_HEAD.length);
  }

  #readHead(head) {
    this.head = head;
    this.status = Number(head.slice(9, 12));
    const length = /\ncontent-length: *(\d+)/i.exec(head);
    this.#isChunked = !length && /\ntransfer-encoding: *chunked/i.test(head);
    if (!length && !this.#isChunked && this.status !== 204) {
      throw new Error(`The answer lasts until the connection ends, which is no keep-alive:\n${head}`);
    }
    this.#left = length ? Number(length[1]) : 0;
    this.#line = 'size';
    this.#isInBody = true;
  }

  #takeBody(bytes, start) {
    const end = this.#isChunked ? this.#takeChunks(bytes, start) : this.#takeSome(bytes, start);
    if (end < bytes.length) throw new Error(`There are bytes after the answer:\n${this.head}`);
    this.#isInBody = this.#isChunked ? this.#line !== 'none' : this.#left > 0;
    return !this.#isInBody;
  }

  /** Takes what there is of the body or the chunk; gives where that ends. */
  #takeSome(bytes, start) {
    const end = Math.min(start + this.#left, bytes.length);
    this.#left -= end - start;
    if (end > start) this.#onBody?.(bytes.subarray(start, end));
    return end;
  }

  #takeChunks(bytes, start) {
    let at = start;
    while (at < bytes.length && this.#line !== 'none') {
      if (this.#left > 0) at = this.#takeSome(bytes, at);
      else this.#takeByte(bytes[at++]);
    }
    return at;
  }

  /** A byte of the lines around chunks: a size, the empty one after a chunk, and the trailer, which ends with an empty one. */
  #takeByte(byte) {
    if (byte === LF) this.#endLine();
    else if (byte === SEMICOLON) this.#hasExtension = true;
    else if (byte !== CR) {
      this.#length++;
      if (this.#line === 'size' && !this.#hasExtension) this.#size = this.#size * 16 + digitOf(byte);
    }
  }

  #endLine() {
    if (this.#line === 'after chunk') this.#line = 'size';
    else if (this.#line === 'size') {
      this.#left = this.#size;
      this.#line = this.#size > 0 ? 'after chunk' : 'trailer';
    } else if (this.#length === 0) this.#line = 'none';
    this.#size = 0;
    this.#length = 0;
    this.#hasExtension = false;
  }
}

function digitOf(byte) {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  if (letter >= 97 && letter <= 102) return letter - 87;
  throw new Error(`The size of a chunk has a byte ${byte} in it`);
}
