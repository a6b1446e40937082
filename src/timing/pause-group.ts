/** Pauses a timer until the returned function is called. */
export type PauseTimer = () => () => void;

/** Timers that are paused together, for instance the timers of all calls while the user signs in. */
export class PauseGroup {
  /** Maps the pause function of each timer to its resume function, which is undefined while the timer runs. */
  readonly #timers = new Map<PauseTimer, (() => void) | undefined>();
  #holds = 0;

  /** Adds a timer until the returned function is called. While the group is on hold, a new timer is paused at once. */
  add(pause: PauseTimer): () => void {
    this.#timers.set(pause, this.#holds > 0 ? pause() : undefined);
    return () => {
      this.#timers.delete(pause);
    };
  }

  /** Pauses all timers until the returned function is called. The timers resume when all holds have ended. */
  hold(): () => void {
    if (++this.#holds === 1) for (const pause of this.#timers.keys()) this.#timers.set(pause, pause());
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#holds === 0) this.#resume();
    };
  }

  #resume(): void {
    for (const [pause, resume] of this.#timers) {
      this.#timers.set(pause, undefined);
      resume?.();
    }
  }
}
