/** Many alarms on one timer. */

// A longer wait would be over at once.
const LONGEST_MS = 2 ** 31 - 1;

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

/** Calls back at given times. Its one timer keeps no process alive. */
export class Alarms {
  readonly #alarms = new Set<Alarm>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the timer is set to. */
  #next = Number.POSITIVE_INFINITY;

  /** Calls back at this time, in milliseconds since 1970, unless the returned function is called before. */
  set(at: number, ring: () => void): () => void {
    if (at === Number.POSITIVE_INFINITY) return () => {};
    const alarm = { at, ring };
    this.#alarms.add(alarm);
    // In a Worker a timer may end with the request that set it: one that is overdue is set anew.
    if (at < this.#next || this.#next <= Date.now()) this.#wait(Math.min(at, this.#next));
    return () => {
      if (this.#alarms.delete(alarm) && this.#alarms.size === 0) this.#wait(Number.POSITIVE_INFINITY);
    };
  }

  #wait(at: number): void {
    clearTimeout(this.#timer);
    this.#next = at;
    this.#timer = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#ring(), Math.min(Math.max(at - Date.now(), 1), LONGEST_MS));
    (this.#timer as { unref?(): void }).unref?.();
  }

  #ring(): void {
    const now = Date.now();
    this.#next = Number.POSITIVE_INFINITY;
    // One that is due may put off another.
    for (const alarm of [...this.#alarms]) if (alarm.at <= now && this.#alarms.delete(alarm)) alarm.ring();
    let next = Number.POSITIVE_INFINITY;
    for (const { at } of this.#alarms) next = Math.min(next, at);
    this.#wait(next);
  }
}
