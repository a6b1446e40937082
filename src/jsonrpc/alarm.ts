/** One timer for the deadlines of many. */

/** The time by which alarms go, in milliseconds. The clock on the wall may be set meanwhile. */
export function now(): number {
  return performance.now();
}

/** When so many milliseconds will have passed, from now on or since another time. */
export function inMilliseconds(milliseconds: number, since: number = now()): number {
  // setTimeout counts with 32 bits: anything longer is for ever.
  return milliseconds < 2 ** 31 ? since + Math.max(milliseconds, 0) : Number.POSITIVE_INFINITY;
}

/** Rings at the earliest of the times that it was set for; whoever hears it looks what is due, and sets it again. */
export class Alarm {
  readonly #ring: (time: number) => void;
  #at = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ring: (time: number) => void) {
    this.#ring = ring;
  }

  /** Rings at this time, unless it rings before; then it has to be set again. */
  set(time: number): void {
    if (time >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = time;
    this.#timer = setTimeout(this.#onTime, time - now());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#at = Number.POSITIVE_INFINITY;
  }

  // A timer may be a fraction of a millisecond early: what it was set for is due nevertheless.
  readonly #onTime = (): void => {
    const time = Math.max(now(), this.#at);
    this.#at = Number.POSITIVE_INFINITY;
    this.#ring(time);
  };
}
