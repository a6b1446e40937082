import { onAbort } from './abort-signals.ts';
import { timerMs } from './timer-range.ts';

/** Resolves after this many milliseconds, or as soon as the signal aborts. Never rejects. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      unsubscribe?.();
      resolve();
    };
    const timer = setTimeout(done, signal?.aborted ? 0 : timerMs(milliseconds));
    const unsubscribe = signal && !signal.aborted ? onAbort(signal, done) : undefined;
  });
}
