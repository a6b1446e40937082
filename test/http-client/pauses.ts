/** Faked clocks, among which pauses can be told from the time that calls have. */

import { vi } from 'vitest';

/** No pause in these tests is longer, and no call has less time. */
const LONGEST_PAUSE = 45_000;

const running = new Set<unknown>();
let restore = (): void => {};

/** Fakes the clocks, until `realClocks`. */
export function fakeClocks(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { setTimeout, clearTimeout } = globalThis;
  running.clear();
  const set = (action: () => void, milliseconds?: number): unknown => {
    const clock = setTimeout(() => {
      running.delete(clock);
      action();
    }, milliseconds);
    if ((milliseconds ?? 0) <= LONGEST_PAUSE) running.add(clock);
    return clock;
  };
  const clear = (clock: Parameters<typeof clearTimeout>[0]): void => {
    running.delete(clock);
    clearTimeout(clock);
  };
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  restore = () => Object.assign(globalThis, { setTimeout, clearTimeout });
}

/** Whether or not they were faked. */
export function realClocks(): void {
  restore();
  restore = () => {};
  vi.useRealTimers();
}

/** How many pauses there are at this moment. */
export function pauses(): number {
  return running.size;
}
