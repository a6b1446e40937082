/** A response's body as one piece, if it is not too large. */

import type { ConnectionError } from '../../../jsonrpc/errors.ts';
import { tooLarge } from './failures.ts';

/** Collects what arrives. */
export class JsonBody {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** `announced` is the content-length, if there is one. Throws if that is too much already. */
  constructor(maxBytes: number, announced: string | undefined) {
    this.#maxBytes = maxBytes;
    if (Number(announced) > maxBytes) throw this.#tooLarge();
  }

  /** Throws if it is too large now. */
  push(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) {
      this.#chunks = [];
      throw this.#tooLarge();
    }
    this.#chunks.push(bytes);
  }

  /** Everything that arrived. */
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
