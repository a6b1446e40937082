import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Standstill, type StopClock } from './standstill.ts';
import { until } from './until.ts';

/** A clock that tells what is done to it. */
function clock(): { stop: StopClock; seen: string[] } {
  const seen: string[] = [];
  const stop = (): (() => void) => {
    seen.push('stop');
    return () => seen.push('go');
  };
  return { stop, seen };
}

describe('clocks', () => {
  test('stand still from the first hold to the end of the last', () => {
    const standstill = new Standstill();
    const [one, other] = [clock(), clock()];
    standstill.add(one.stop);
    standstill.add(other.stop);
    const first = standstill.hold();
    const second = standstill.hold();
    first();
    expect([one.seen, other.seen]).toEqual([['stop'], ['stop']]);
    second();
    expect([one.seen, other.seen]).toEqual([
      ['stop', 'go'],
      ['stop', 'go'],
    ]);
    standstill.hold()();
    expect(one.seen).toEqual(['stop', 'go', 'stop', 'go']);
  });

  test('that are added meanwhile stand still at once', () => {
    const standstill = new Standstill();
    const go = standstill.hold();
    const { stop, seen } = clock();
    standstill.add(stop);
    expect(seen).toEqual(['stop']);
    go();
    expect(seen).toEqual(['stop', 'go']);
  });

  test('that are taken away are left alone', () => {
    const standstill = new Standstill();
    const [before, during] = [clock(), clock()];
    standstill.add(before.stop)();
    const forget = standstill.add(during.stop);
    const go = standstill.hold();
    forget();
    go();
    expect(before.seen).toEqual([]);
    expect(during.seen).toEqual(['stop']);
  });

  test('a hold ends once, however often that is said', () => {
    const standstill = new Standstill();
    const { stop, seen } = clock();
    standstill.add(stop);
    const [first, second] = [standstill.hold(), standstill.hold()];
    first();
    first();
    expect(seen).toEqual(['stop']);
    second();
    expect(seen).toEqual(['stop', 'go']);
  });
});

describe('waiting', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  const never = new Promise<never>(() => {});

  /** Waits for something that does not come, for a second at most. */
  function waiting(standstill: Standstill) {
    const outcome: unknown[] = [];
    until(never, { what: 'It', timeout: 1000, standstill }).catch((error: unknown) => outcome.push(error));
    return outcome;
  }

  test('does not count the time of a standstill, and goes on with what was left', async () => {
    const standstill = new Standstill();
    const outcome = waiting(standstill);
    await vi.advanceTimersByTimeAsync(600);
    const go = standstill.hold();
    await vi.advanceTimersByTimeAsync(3600_000);
    expect(outcome).toEqual([]);
    go();
    await vi.advanceTimersByTimeAsync(399);
    expect(outcome).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(outcome).toMatchObject([{ code: 'timeout', message: 'It timed out after 1000 ms' }]);
  });

  test('that begins in a standstill counts from its end on', async () => {
    const standstill = new Standstill();
    const go = standstill.hold();
    const outcome = waiting(standstill);
    await vi.advanceTimersByTimeAsync(5000);
    go();
    await vi.advanceTimersByTimeAsync(999);
    expect(outcome).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(outcome).toHaveLength(1);
  });

  test('can end in a standstill, and leaves no clock that would go on after it', async () => {
    const standstill = new Standstill();
    const closing = new AbortController();
    const given = until(never, { what: 'It', timeout: 1000, signals: [closing.signal], standstill });
    const came = until(Promise.resolve('came'), { what: 'It', timeout: 1000, standstill });
    const go = standstill.hold();
    expect(await came).toBe('came');
    closing.abort(new Error('closed'));
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    go();
    expect(vi.getTimerCount()).toBe(0);
  });
});
