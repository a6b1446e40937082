/** Values that may be promises. Code that handles both runs synchronous handlers without creating a promise, which is faster. */

export type MaybePromise<T> = T | Promise<T>;

/** True for promises and other thenables. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Calls `next` with the value: at once, or after the promise has resolved. */
export function thenMaybe<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  // `Promise.resolve` converts a thenable, whose `then` need not return a promise.
  return isPromise(value) ? Promise.resolve(value as Promise<T>).then(next) : next(value as T);
}

/** Calls `after` when an action that may be asynchronous has ended or failed, like `try ... finally`. */
export function finallyMaybe(action: () => MaybePromise<void>, after: () => void): MaybePromise<void> {
  let result: MaybePromise<void>;
  try {
    result = action();
  } catch (error) {
    after();
    throw error;
  }
  if (isPromise(result)) return result.finally(after);
  after();
  return result;
}

/** Runs an action without waiting for it. Errors and rejections go to `report`. */
export function ignoreRejection(action: () => MaybePromise<void>, report: (error: unknown) => void): void {
  try {
    const done = action();
    if (isPromise(done)) done.catch(report);
  } catch (error) {
    report(error);
  }
}
