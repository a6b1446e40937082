/** Values that may still be on their way. Code that is synchronous stays so: most handlers are, and it is faster. */

/** A value, now or later. */
export type MaybePromise<T> = T | Promise<T>;

/** True for anything that has to be awaited. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Goes on with a value as soon as it is there: at once, if it is there already. */
export function thenMaybe<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  // Not every thenable gives a promise from `then`.
  return isPromise(value) ? Promise.resolve(value as Promise<T>).then(next) : next(value as T);
}

/** Does something, and something else afterwards, however it ends. */
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

/** Does what nobody waits for; what goes wrong with it is reported. */
export function ignoreRejection(action: () => MaybePromise<void>, report: (error: unknown) => void): void {
  try {
    const done = action();
    if (isPromise(done)) done.catch(report);
  } catch (error) {
    report(error);
  }
}
