/** Calls that wait until they are cancelled or let go, by key; and those who want to know what became of them. */

const waits = new Map();

function once() {
  let happen;
  const happened = new Promise((resolve) => {
    happen = resolve;
  });
  return { happen, happened };
}

function waitOf(key) {
  const wait = waits.get(key) ?? { started: once(), released: once(), cancelled: once() };
  waits.set(key, wait);
  return wait;
}

/** Waits for either, and says which it was. */
export async function wait({ key = '' }, signal) {
  const { started, released, cancelled } = waitOf(key);
  if (signal.aborted) cancelled.happen();
  signal.addEventListener('abort', cancelled.happen, { once: true });
  started.happen();
  return Promise.race([released.happened.then(() => 'Released'), cancelled.happened.then(() => 'Stopped')]);
}

/** Says so as soon as the call waits. */
export const waiting = ({ key = '' }) => waitOf(key).started.happened.then(() => 'waiting');

/** Says so as soon as the call is cancelled. */
export const waited = ({ key = '' }) => waitOf(key).cancelled.happened.then(() => 'cancelled');

/** Lets the call go on to its end. */
export function release({ key = '' }) {
  waitOf(key).released.happen();
  return 'released';
}
