/** How much an endpoint does at the same time, for whomever. */

import type { ConnectionExchange } from '../../../server/connection-exchange.ts';
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
    const ended = (): void => {
      this.#running--;
    };
    if (lingering) lingering.then(ended, ended);
    else ended();
  }

  /** A body is being read, until `end` is called. */
  readBody(): { hasRoom(bytes: number): boolean; end(): void } {
    let read = 0;
    return {
      hasRoom: (bytes) => {
        read += bytes;
        this.#bodies += bytes;
        return this.#bodies <= this.#limits.bodiesBytes;
      },
      end: () => {
        this.#bodies -= read;
      },
    };
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
