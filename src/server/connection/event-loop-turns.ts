/**
 * Time between messages that a client must not read together. The official clients drop progress that they read together with
 * the result of its call: their notifications wait for a microtask, their results do not.
 */

/**
 * Milliseconds between the last progress of a call and its result. Over stdio, on two cores with 7 busy processes, the official
 * clients kept the last progress in 9 to 11 of 100 calls with `setImmediate`, in 89 to 97 with 1 ms, and in all with 2 ms.
 */
const APART_MS = 2;

let turn = 0;
let isCounting = false;

/** The number of this turn of the event loop. Turns in which it is not asked for are not counted. */
export function currentTurn(): number {
  if (!isCounting) {
    isCounting = true;
    setTimeout(count, 0);
  }
  return turn;
}

/** True if a message sent in this turn and at this time (`performance.now()`) may be read together with one sent now. */
export function mayShareRead(sentIn: number, sentAt: number): boolean {
  return sentIn === turn || performance.now() - sentAt < APART_MS;
}

/** Resolves when a message sent before is read apart from one that is sent then. */
export function untilSeparateRead(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, APART_MS);
  });
}

function count(): void {
  isCounting = false;
  turn++;
}
