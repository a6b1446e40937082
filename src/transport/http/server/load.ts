/** How much an endpoint does at the same time, for whomever. */

import type { ConnectionExchange } from '../../../server/connection-exchange.ts';
import type { BodyLimits } from './http-exchange.ts';
import { busy, type Refusal } from './refusal.ts';

/** How much that may be. */
export interface LoadLimits {
  readonly running: number;
  readonly streams: number;
  readonly bodiesBytes: number;
}

/** Counts what runs and what is open; beyond the limits nothing new is begun. */
export class Load {
  readonly #limits: LoadLimits;
  /** What is dropped from now on is dropped because the server closes. */
  isOver = false;
  #running = 0;
  #streams = 0;
  #bodies = 0;

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  /** Why no request can be begun now, if so. */
  get refusal(): Refusal | undefined {
    return this.#running < this.#limits.running ? undefined : busy('Too many requests are running');
  }

  /** Why no stream that stays open can be opened now, if so. */
  get streamRefusal(): Refusal | undefined {
    return this.#streams < this.#limits.streams ? undefined : busy('Too many streams are open');
  }

  /** A request runs. */
  begin(): void {
    this.#running++;
  }

  /** It is answered. A handler that goes on after that takes room until it ends. */
  end({ lingering }: ConnectionExchange): void {
    if (lingering) this.#endWith(lingering);
    else this.#running--;
  }

  #endWith(handler: Promise<unknown>): void {
    const ended = (): void => {
      this.#running--;
    };
    handler.then(ended, ended);
  }

  /** So many bytes more, or less, are those of bodies that are being read; false if they are too many. */
  addBodyBytes(bytes: number): boolean {
    this.#bodies += bytes;
    return this.#bodies <= this.#limits.bodiesBytes;
  }

  /** A stream is open until the returned function is called. */
  openStream(): () => void {
    this.#streams++;
    return this.#closeStream;
  }

  readonly #closeStream = (): void => {
    this.#streams--;
  };
}

/** A body that is being read, until `end` is called. */
export class BodyReading implements BodyLimits {
  readonly bytes: number;
  readonly milliseconds: number;
  readonly #load: Load;
  #read = 0;

  constructor(load: Load, limits: { readonly bodyBytes: number; readonly bodyMs: number }) {
    this.#load = load;
    this.bytes = limits.bodyBytes;
    this.milliseconds = limits.bodyMs;
  }

  hasRoom(bytes: number): boolean {
    this.#read += bytes;
    return this.#load.addBodyBytes(bytes);
  }

  end(): void {
    this.#load.addBodyBytes(-this.#read);
  }
}
