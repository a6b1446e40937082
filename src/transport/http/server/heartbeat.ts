/** `Heartbeat`: periodic timers of open streams and live sessions. The timers do not keep the process running. */

import { unref } from '../../../timing/timer-range.ts';

/** Member of a `Heartbeat`, which calls `beat` once per interval. */
export interface Beating {
  beat(): void;
}

/** Calls `beat` of each member once per interval, from `join` to `leave`. */
export interface Heartbeat {
  join(member: Beating): void;
  leave(member: Beating): void;
  /** Returns a heartbeat of the same class with another interval, in milliseconds. */
  every(interval: number): Heartbeat;
}

/** One timer per member, for Cloudflare Workers, where a timer belongs to the request that set it. */
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

// Timer ticks per interval of a `SharedClock`, which spread the load. A member's first beat is up to one tick early.
const HANDS = 16;

/** One timer for all members. Members that joined in the same tick are called in the same tick. */
export class SharedClock implements Heartbeat {
  readonly #interval: number;
  /** Number of the tick, 0 to 15, in which each member is called. */
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
