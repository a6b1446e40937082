/** Values that may still be on their way. Code that is synchronous stays so: most handlers are, and it is faster. */

/** A value, now or later. */
export type Maybe<T> = T | Promise<T>;

/** True for anything that has to be awaited. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Goes on with a value as soon as it is there: at once, if it is there already. */
export function chain<T, R>(value: Maybe<T>, next: (value: T) => Maybe<R>): Maybe<R> {
  // Not every thenable gives a promise from `then`.
  return isPromise(value) ? Promise.resolve(value as Promise<T>).then(next) : next(value as T);
}
