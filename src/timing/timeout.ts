/** Waiting for a promise, but not for ever. */

import { MAX_TIMER_MS } from './timer-range.ts';

/**
 * The promise's outcome. After so many milliseconds without one it is the outcome of `onTimeout`, which may throw. Without
 * `onTimeout` that is undefined. There is no timeout if it is longer than a timer can count to.
 */
export function withTimeout<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined>;
export function withTimeout<T>(promise: Promise<T>, milliseconds: number, onTimeout: () => T): Promise<T>;
export function withTimeout<T>(
  promise: Promise<T>,
  milliseconds: number,
  onTimeout: () => T | undefined = () => undefined,
): Promise<T | undefined> {
  if (milliseconds > MAX_TIMER_MS) return promise;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error);
      }
    }, milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
