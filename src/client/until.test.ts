/** Waiting takes as long as it should, whatever happens to the clock on the wall. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PauseGroup } from '../timing/pause-group.ts';
import { until } from './until.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOUR = 3_600_000;

test.each([
  ['forwards', HOUR],
  ['backwards', -HOUR],
])('a clock that is set %s changes nothing', async (_how, shift) => {
  const group = new PauseGroup();
  let isOver = false;
  const waiting = until(new Promise(() => {}), { what: 'It', timeout: 1000, group }).catch((error: unknown) => {
    isOver = true;
    return error;
  });
  await vi.advanceTimersByTimeAsync(400);
  vi.setSystemTime(Date.now() + shift);
  // Whoever stops has to find out how much time is left.
  const goOn = group.hold();
  await vi.advanceTimersByTimeAsync(10_000);
  vi.setSystemTime(Date.now() + shift);
  goOn();
  await vi.advanceTimersByTimeAsync(599);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await waiting).toMatchObject({ message: 'It timed out after 1000 ms' });
});

describe('waiting', () => {
  afterEach(() => expect(vi.getTimerCount()).toBe(0));

  const never = new Promise<never>(() => {});

  /** Waits for something that does not come, for a second at most. */
  function waiting(group: PauseGroup) {
    const outcome: unknown[] = [];
    until(never, { what: 'It', timeout: 1000, group }).catch((error: unknown) => outcome.push(error));
    return outcome;
  }

  test('does not count the time of a hold, and goes on with what was left', async () => {
    const group = new PauseGroup();
    const outcome = waiting(group);
    await vi.advanceTimersByTimeAsync(600);
    const go = group.hold();
    await vi.advanceTimersByTimeAsync(3600_000);
    expect(outcome).toEqual([]);
    go();
    await vi.advanceTimersByTimeAsync(399);
    expect(outcome).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(outcome).toMatchObject([{ code: 'timeout', message: 'It timed out after 1000 ms' }]);
  });

  test('that begins during a hold counts from its end on', async () => {
    const group = new PauseGroup();
    const go = group.hold();
    const outcome = waiting(group);
    await vi.advanceTimersByTimeAsync(5000);
    go();
    await vi.advanceTimersByTimeAsync(999);
    expect(outcome).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(outcome).toHaveLength(1);
  });

  test('can end during a hold, and leaves no clock that would go on after it', async () => {
    const group = new PauseGroup();
    const closing = new AbortController();
    const given = until(never, { what: 'It', timeout: 1000, signals: [closing.signal], group });
    const came = until(Promise.resolve('came'), { what: 'It', timeout: 1000, group });
    const go = group.hold();
    expect(await came).toBe('came');
    closing.abort(new Error('closed'));
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    go();
    expect(vi.getTimerCount()).toBe(0);
  });
});
