/** The lines of text that was decoded in one piece: much cheaper than to decode each of many short ones. */

const LF = 0x0a;
const OPEN_OBJECT = 0x7b;
const BLANK = /^[ \t\r\ufeff]*$/;

// A mark is left where it is: `readText` knows what to do with it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `open` it with bytes, then take lines with `next` until there are none. */
export class TextLines {
  #text = '';
  #at = 0;

  /** Takes what ends in a line feed, and gives how many bytes that were: 0 if there is none, or if it is not UTF-8. */
  open(bytes: Uint8Array): number {
    const length = bytes.lastIndexOf(LF) + 1;
    if (length === 0) return 0;
    try {
      this.#text = decoder.decode(bytes.subarray(0, length));
    } catch {
      return 0;
    }
    this.#at = 0;
    return length;
  }

  /** The next line that is not blank. */
  next(): string | undefined {
    const text = this.#text;
    while (this.#at < text.length) {
      if (text.charCodeAt(this.#at) === LF) {
        this.#at++;
        continue;
      }
      const end = text.indexOf('\n', this.#at);
      const line = text.slice(this.#at, end);
      this.#at = end + 1;
      if (line.charCodeAt(0) === OPEN_OBJECT || !BLANK.test(line)) return line;
    }
    this.#text = '';
    return undefined;
  }
}
