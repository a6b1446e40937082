import { MAX_TIMER_MS } from './timer-range.ts';

/**
 * Settles as the promise does. After the timeout it resolves with the result of `onTimeout`, or rejects if that throws; without
 * `onTimeout` it resolves with undefined. A timeout above `MAX_TIMER_MS` never expires.
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
