/**
 * Keeps the last progress notification of a call apart from its result, by delaying the result. The official clients drop
 * progress that arrives in the same read as the result: they process results at once, but notifications in a microtask. Over
 * stdio, messages that are sent in the same iteration ("turn") of the event loop or shortly after each other arrive in one read.
 */

import { sleep } from '../../timing/sleep.ts';

/**
 * Minimum delay between the last progress of a call and its result, in milliseconds. Over stdio, on two cores with 7 busy
 * processes, the official clients kept the last progress in 9 to 11 of 100 calls with `setImmediate` instead of a delay, in
 * 89 to 97 with 1 ms, and in all with 2 ms.
 */
const PROGRESS_GAP_MS = 2;

let turn = 0;
let isCounting = false;

/** Returns the number of the current iteration of the event loop. Iterations without a call are not counted. */
export function currentTurn(): number {
  if (!isCounting) {
    isCounting = true;
    setTimeout(countTurn, 0);
  }
  return turn;
}

function countTurn(): void {
  isCounting = false;
  turn++;
}

/** True if a client may read a result that is sent now together with progress that was sent in turn `sentIn`, at `sentAt`. */
export function isWithinProgressGap(sentIn: number, sentAt: number): boolean {
  return sentIn === turn || performance.now() - sentAt < PROGRESS_GAP_MS;
}

/** Resolves when a result can be sent, if the last progress was sent before this call. */
export function waitProgressGap(): Promise<void> {
  return sleep(PROGRESS_GAP_MS);
}
