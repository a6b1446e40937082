/** `JsonBody`: collects a response body up to a maximum size. */

import type { ConnectionError } from '../../../jsonrpc/errors.ts';
import { tooLarge } from './failures.ts';

export class JsonBody {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** `announced` is the value of `Content-Length`. Throws `too-large` if it exceeds `maxBytes`. */
  constructor(maxBytes: number, announced: string | undefined) {
    this.#maxBytes = maxBytes;
    if (Number(announced) > maxBytes) throw this.#tooLarge();
  }

  /** Throws `too-large` if the body exceeds `maxBytes`. */
  push(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) {
      this.#chunks = [];
      throw this.#tooLarge();
    }
    this.#chunks.push(bytes);
  }

  take(): Uint8Array {
    const [first, second] = this.#chunks;
    if (first && !second) return first;
    const whole = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  #tooLarge(): ConnectionError {
    return tooLarge('a response', this.#maxBytes);
  }
}
