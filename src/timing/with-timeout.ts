import { MAX_TIMER_MS } from './timer-range.ts';

/** Settles like `promise`; after `milliseconds`, resolves to `onTimeout()` or undefined. No timeout above `MAX_TIMER_MS`. */
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
