/** Looks whether things are as they should be, on runtimes that may have no library for it. */

/** Throws unless both are the same JSON. */
export function equal(actual, expected, what = 'It') {
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value));
  if (is !== should) throw new Error(`${what} is ${is}, not ${should}`);
}

/** Throws unless the text matches. */
export function matches(text, pattern) {
  if (!pattern.test(text)) throw new Error(`${JSON.stringify(text)} does not match ${pattern}`);
}

/** What the promise is rejected with; throws if it is not. */
export function rejection(promise) {
  return promise.then(
    (value) => {
      throw new Error(`It was not rejected but gave ${JSON.stringify(value)}`);
    },
    (error) => error,
  );
}

/** The text of a result. */
export function textOf({ content }) {
  return content.map(({ text = '' }) => text).join('\n');
}

/** Watches, does something, and gives the event that comes of it. */
export async function eventAfter(mcp, what, action) {
  let happened;
  const event = new Promise((resolve) => {
    happened = resolve;
  });
  const stop = await mcp.watch(what, happened);
  try {
    await action();
    const { resync, ...change } = await inTime(() => event, 5000, `No event of ${what}`);
    equal(resync, undefined, 'A stream was lost: resync');
    return change;
  } finally {
    await stop();
  }
}

/** Asks again and again until it is so: for what another process does in its own time. */
export async function until(isSo, otherwise) {
  for (const end = Date.now() + 5000; Date.now() < end; ) {
    if (await isSo()) return;
    await pause(10);
  }
  throw new Error(otherwise);
}

/** What the action gives, or an error if that takes too long. */
export async function inTime(action, milliseconds, otherwise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${otherwise} within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([action(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets time pass. */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
