/**
 * Turns of the event loop, as far as messages are concerned that a transport writes together. Clients drop progress that they
 * read together with the result of its call (the official SDK: notifications wait for a microtask, results do not).
 */

let turn = 0;
let isCounting = false;

/** The number of this turn. Turns in which it is not asked for are not counted. */
export function currentTurn(): number {
  if (!isCounting) {
    isCounting = true;
    setTimeout(count, 0);
  }
  return turn;
}

/** True if that number was given in this turn. */
export function isCurrentTurn(number: number): boolean {
  return number === turn;
}

/** Resolves in a later turn, when the messages of this one were written. */
export function laterTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

function count(): void {
  isCounting = false;
  turn++;
}
