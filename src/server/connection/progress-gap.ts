/** Delays results after progress, because the official clients drop progress that they read together with the result. */

import { sleep } from '../../timing/sleep.ts';

/**
 * Minimum delay between the last progress of a call and its result, in milliseconds. The official clients drop progress that
 * they read together with the result. Measured over stdio, on two cores with 7 busy processes: the clients delivered the last
 * progress of 9 to 11 of 100 calls if the server waited with `setImmediate`, of 89 to 97 with 1 ms, and of all with 2 ms.
 */
const PROGRESS_GAP_MS = 2;

let turn = 0;
let isCounting = false;

/** Returns a number that identifies the current event loop iteration. */
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

/**
 * True if a result must wait (`waitProgressGap`), because a client could read the result together with the last progress: the
 * progress was sent in this event loop iteration (`sentIn`), or at `sentAt`, less than `PROGRESS_GAP_MS` ago.
 */
export function isWithinProgressGap(sentIn: number, sentAt: number): boolean {
  return sentIn === turn || performance.now() - sentAt < PROGRESS_GAP_MS;
}

export function waitProgressGap(): Promise<void> {
  return sleep(PROGRESS_GAP_MS);
}
