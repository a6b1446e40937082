/** Waiting in real time, while the client's time is that of the transcript. */

import { quiet } from '../wire.ts';

const realTimers = { setTimeout, clearTimeout };

/** How long something may take that needs no time: so long that it will not happen any more. */
export const PATIENCE_MS = 5000;

/** The promise's outcome; rejects if there is none within the time. */
export async function inTime<T>(promise: Promise<T>, otherwise: string, patience: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      timer = realTimers.setTimeout(() => reject(new Error(otherwise)), patience);
      promise.then(resolve, reject);
    });
  } finally {
    realTimers.clearTimeout(timer);
  }
}

/** Things in the order they came, for those who wait for the next. */
export class Queue<T> {
  readonly #things: T[] = [];
  readonly #patience: number;
  #waiting: ((thing: T) => void) | undefined;

  constructor(patience: number) {
    this.#patience = patience;
  }

  put(thing: T): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting(thing);
    else this.#things.push(thing);
  }

  /** The next one. */
  async next(otherwise: string): Promise<T> {
    const [thing] = this.#things.splice(0, 1);
    if (thing !== undefined) return thing;
    return inTime(
      new Promise<T>((resolve) => {
        this.#waiting = resolve;
      }),
      otherwise,
      this.#patience,
    );
  }

  /** Throws if anything is there that nobody waited for. */
  async expectEmpty(what: string): Promise<void> {
    await quiet();
    if (this.#things.length > 0) throw new Error(`${what}: ${JSON.stringify(this.#things[0])}`);
  }
}
