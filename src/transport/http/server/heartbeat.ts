/** The clocks of what is open. They keep no process alive: what they beat for does. */

import { unref } from '../../../timing/timer-range.ts';

/** Something that is open for longer than a moment. */
export interface Beating {
  /** Called again and again, once per interval. */
  beat(): void;
}

/** Beats for whoever joined. */
export interface Heartbeat {
  join(member: Beating): void;
  leave(member: Beating): void;
  /** Another of its kind. */
  every(interval: number): Heartbeat;
}

/** A clock for each, as it has to be where a clock belongs to the request that set it: in a Worker. */
export class OwnClocks implements Heartbeat {
  readonly #interval: number;
  readonly #members = new Map<Beating, ReturnType<typeof setInterval>>();

  constructor(interval: number) {
    this.#interval = interval;
  }

  join(member: Beating): void {
    if (this.#members.has(member)) return;
    const timer = unref(setInterval(() => member.beat(), this.#interval));
    this.#members.set(member, timer);
  }

  leave(member: Beating): void {
    clearInterval(this.#members.get(member));
    this.#members.delete(member);
  }

  every(interval: number): Heartbeat {
    return new OwnClocks(interval);
  }
}

// Not all at once, and a first beat at most this part of an interval early.
const HANDS = 16;

/** One clock for all. Those who joined at about the same time are called at the same time. */
export class SharedClock implements Heartbeat {
  readonly #interval: number;
  /** When each joined, as the place of the hand. */
  readonly #members = new Map<Beating, number>();
  #hand = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(interval: number) {
    this.#interval = interval;
  }

  join(member: Beating): void {
    if (this.#members.has(member)) return;
    this.#members.set(member, this.#hand);
    this.#timer ??= unref(setInterval(() => this.#move(), this.#interval / HANDS));
  }

  leave(member: Beating): void {
    if (!this.#members.delete(member) || this.#members.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  every(interval: number): Heartbeat {
    return new SharedClock(interval);
  }

  #move(): void {
    this.#hand = (this.#hand + 1) % HANDS;
    const due: Beating[] = [];
    for (const [member, place] of this.#members) if (place === this.#hand) due.push(member);
    for (const member of due) if (this.#members.has(member)) member.beat();
  }
}
