/** The clocks of what is open. Each has its own: in a Worker a clock belongs to the request that set it. */

/** Something that is open for longer than a moment. */
export interface Beating {
  /** Called again and again, once per interval. */
  beat(): void;
}

/** Beats for whoever joined. */
export class Heartbeat {
  readonly #interval: number;
  readonly #members = new Map<Beating, ReturnType<typeof setInterval>>();

  constructor(interval: number) {
    this.#interval = interval;
  }

  join(member: Beating): void {
    if (this.#members.has(member)) return;
    const timer = setInterval(beat, this.#interval, member);
    // It keeps no process alive: what it beats for does.
    (timer as { unref?(): void }).unref?.();
    this.#members.set(member, timer);
  }

  leave(member: Beating): void {
    clearInterval(this.#members.get(member));
    this.#members.delete(member);
  }
}

function beat(member: Beating): void {
  member.beat();
}
