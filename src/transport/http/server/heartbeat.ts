/** One clock for all streams of an endpoint. It runs only while there are some. */

/** Something that is open for longer than a moment. */
export interface Beating {
  /** Called again and again, once per interval. */
  beat(): void;
}

/** Beats for whoever joined. */
export class Heartbeat {
  readonly #interval: number;
  readonly #members = new Set<Beating>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(interval: number) {
    this.#interval = interval;
  }

  join(member: Beating): void {
    this.#members.add(member);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => {
      // One may make others leave.
      for (const one of [...this.#members]) if (this.#members.has(one)) one.beat();
    }, this.#interval);
    // It keeps no process alive: what it beats for does.
    (this.#timer as { unref?(): void }).unref?.();
  }

  leave(member: Beating): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
