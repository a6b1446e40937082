/** Passes change events to listeners in order of arrival, throttled for each list and resource. */

import type { Change } from '../protocol/model/changes.ts';

export interface Told<Listener> {
  readonly event: Change & { readonly resync?: true };
  readonly listeners: Iterable<Listener>;
}

/** Throttle: at most 10 events for each list or resource in 250 ms. More are merged into one at the end of the period. */
const MAX_AT_ONCE = 10;
const PERIOD_MS = 250;

/** Passes on events at once, up to a rate limit, because listeners usually respond to each change with requests. */
export class Telling<Listener> {
  readonly #tell: (told: Told<Listener>) => void;
  readonly #queue: Told<Listener>[] = [];
  /** Number of events passed on in the current period, by list or resource. */
  readonly #counts = new Map<string, number>();
  /** Events that wait for the end of the period, by list or resource. */
  readonly #held = new Map<string, { event: Told<Listener>['event']; readonly listeners: Set<Listener> }>();
  #begun = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (told: Told<Listener>) => void) {
    this.#tell = tell;
  }

  /** Passes on an event, either now or merged with others at the end of the period. */
  tell(told: Told<Listener>): void {
    const key = keyOf(told.event);
    const age = Date.now() - this.#begun;
    // Events must not overtake held ones. A negative age means that the system clock was set back.
    if (this.#held.size === 0 && !(age >= 0 && age < PERIOD_MS)) this.#begin();
    const count = this.#counts.get(key) ?? 0;
    if (this.#held.size > 0 || count >= MAX_AT_ONCE) this.#hold(key, told);
    else {
      this.#counts.set(key, count + 1);
      this.#pass([told]);
    }
  }

  /** Drops the held events. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#held.clear();
    this.#counts.clear();
  }

  #begin(): void {
    this.#begun = Date.now();
    this.#counts.clear();
  }

  #hold(key: string, { event, listeners }: Told<Listener>): void {
    if (this.#held.size === 0) {
      this.#timer = setTimeout(() => this.#release(), this.#begun + PERIOD_MS - Date.now());
    }
    const held = this.#held.get(key);
    if (!held) this.#held.set(key, { event, listeners: new Set(listeners) });
    else {
      // A resync event takes precedence, because it includes every change.
      if (event.resync) held.event = event;
      for (const listener of listeners) held.listeners.add(listener);
    }
  }

  #release(): void {
    const held = [...this.#held];
    this.#held.clear();
    this.#begin();
    for (const [key] of held) this.#counts.set(key, 1);
    this.#pass(held.map(([, told]) => told));
  }

  // Events that arrive while a listener runs are queued until all listeners have received the earlier ones.
  #pass(all: readonly Told<Listener>[]): void {
    const isTelling = this.#queue.length > 0;
    for (const told of all) this.#queue.push(told);
    if (isTelling) return;
    for (const next of this.#queue) this.#tell(next);
    this.#queue.length = 0;
  }
}

function keyOf(event: Change): string {
  return event.type === 'resource' ? `resource ${event.uri}` : event.type;
}
