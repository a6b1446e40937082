/** Clocks that are paused together, for instance those of all calls while a person signs in. */

/** Pauses a clock; the function it returns lets the clock continue. */
export type PauseClock = () => () => void;

/** Every clock that was added is paused from the first hold to the end of the last. */
export class PauseGroup {
  /** The clocks, each with the function that lets it continue while it is paused. */
  readonly #clocks = new Map<PauseClock, (() => void) | undefined>();
  #holds = 0;

  /** Adds a clock, until the returned function is called. */
  add(pause: PauseClock): () => void {
    this.#clocks.set(pause, this.#holds > 0 ? pause() : undefined);
    return () => {
      this.#clocks.delete(pause);
    };
  }

  /** Pauses all clocks until the returned function is called. */
  hold(): () => void {
    if (++this.#holds === 1) for (const pause of this.#clocks.keys()) this.#clocks.set(pause, pause());
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#holds === 0) this.#resume();
    };
  }

  #resume(): void {
    for (const [pause, resume] of this.#clocks) {
      this.#clocks.set(pause, undefined);
      resume?.();
    }
  }
}
