/** Tells events in the order they came, each to its listeners; one that comes again and again is not told each time. */

import type { Change } from '../protocol/model/changes.ts';

/** An event, and whom it concerns. */
export interface Told<Listener> {
  readonly event: Change & { readonly resync?: true };
  readonly listeners: Iterable<Listener>;
}

/** How often the same is told at once, and within which time; what exceeds it is told as one when the time is over. */
const MAX_AT_ONCE = 10;
const PERIOD_MS = 250;

/**
 * Hands events on at once, unless the same came too often of late. Listeners most often ask the server something, so
 * a server that floods its client with changes must not make it flood back.
 */
export class Telling<Listener> {
  readonly #tell: (told: Told<Listener>) => void;
  readonly #queue: Told<Listener>[] = [];
  /** How often each was told in this period. */
  readonly #counts = new Map<string, number>();
  /** What waits for the end of the period. */
  readonly #held = new Map<string, { event: Told<Listener>['event']; readonly listeners: Set<Listener> }>();
  #begun = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (told: Told<Listener>) => void) {
    this.#tell = tell;
  }

  /** Tells it now, or with others like it within a quarter of a second. */
  tell(told: Told<Listener>): void {
    const key = keyOf(told.event);
    const age = Date.now() - this.#begun;
    // What is held must go first, so that the order stays that of arrival; a clock may be set back.
    if (this.#held.size === 0 && !(age >= 0 && age < PERIOD_MS)) this.#begin();
    const count = this.#counts.get(key) ?? 0;
    if (this.#held.size > 0 || count >= MAX_AT_ONCE) this.#hold(key, told);
    else {
      this.#counts.set(key, count + 1);
      this.#pass([told]);
    }
  }

  /** Forgets what is held. */
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
      // To read everything again is more than to read what changed.
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

  // What comes while a listener runs waits until all have heard what came before.
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
