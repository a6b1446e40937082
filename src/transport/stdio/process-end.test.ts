import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { onProcessEnd } from './process-end.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const listeners = (): number => signals.reduce((sum, signal) => sum + process.listenerCount(signal), 0);

/** The listener that was added last, called as the process would. */
function signal(name: (typeof signals)[number]): void {
  process.listeners(name).at(-1)?.(name);
}

describe('the end of a process', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test.each(signals)('is told by %s, once; the second signal ends it at once', (name) => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const tell = vi.fn();
    const stop = onProcessEnd(tell);
    signal(name);
    expect(tell.mock.calls).toEqual([['signal']]);
    expect(exit).not.toHaveBeenCalled();
    signal('SIGTERM');
    expect(exit).toHaveBeenCalledWith(143);
    expect(tell).toHaveBeenCalledOnce();
    stop();
  });

  test('is told when the parent changes', () => {
    const parent = vi.spyOn(process, 'ppid', 'get').mockReturnValue(500);
    const tell = vi.fn();
    const stop = onProcessEnd(tell);
    vi.advanceTimersByTime(5000);
    expect(tell).not.toHaveBeenCalled();
    parent.mockReturnValue(1);
    vi.advanceTimersByTime(5000);
    expect(tell.mock.calls).toEqual([['orphaned']]);
    stop();
  });

  test('is no longer watched after stopping', () => {
    const before = listeners();
    const stop = onProcessEnd(() => {});
    expect(listeners()).toBe(before + 3);
    stop();
    expect(listeners()).toBe(before);
    expect(vi.getTimerCount()).toBe(0);
  });
});
