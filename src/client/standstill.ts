/** Clocks that stand still together, while a person is waited for. */

/** Stops a clock; the function it gives lets the clock go on. */
export type StopClock = () => () => void;

/** Every clock that was added stands still from the first hold to the end of the last. */
export class Standstill {
  /** The clocks, each with what lets it go on while it stands. */
  readonly #clocks = new Map<StopClock, (() => void) | undefined>();
  #holds = 0;

  /** Adds a clock, until the returned function is called. */
  add(stop: StopClock): () => void {
    this.#clocks.set(stop, this.#holds > 0 ? stop() : undefined);
    return () => {
      this.#clocks.delete(stop);
    };
  }

  /** Stops all clocks until the returned function is called. */
  hold(): () => void {
    if (++this.#holds === 1) for (const stop of this.#clocks.keys()) this.#clocks.set(stop, stop());
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#holds === 0) this.#go();
    };
  }

  #go(): void {
    for (const [stop, go] of this.#clocks) {
      this.#clocks.set(stop, undefined);
      go?.();
    }
  }
}
