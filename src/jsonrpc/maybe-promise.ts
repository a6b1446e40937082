/** Helpers for values that can be promises. Synchronous handlers run without a promise, which is faster. */

export type MaybePromise<T> = T | Promise<T>;

/** True for promises and other thenables. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Calls `next` with the value: synchronously or, if `value` is a promise, after it has resolved. */
export function thenMaybe<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  // `Promise.resolve` converts thenables, because `then` of a thenable does not always return a promise.
  return isPromise(value) ? Promise.resolve(value as Promise<T>).then(next) : next(value as T);
}

/** Calls `after` when `action` has returned, thrown or settled, like `try ... finally`. */
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

/** Runs an action without waiting for its promise. Errors and rejections go to `report`. */
export function ignoreRejection(action: () => MaybePromise<void>, report: (error: unknown) => void): void {
  try {
    const done = action();
    if (isPromise(done)) done.catch(report);
  } catch (error) {
    report(error);
  }
}
