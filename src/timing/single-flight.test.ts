import { expect, test } from 'vitest';
import { once, SingleFlight } from './single-flight.ts';

test('callers of one key share a task while it runs, and the next caller starts another', async () => {
  const flights = new SingleFlight<number>();
  let runs = 0;
  const task = async (): Promise<number> => ++runs;
  const shared = [flights.run('a', task), flights.run('a', task), flights.run('b', task)];
  expect(flights.size).toBe(2);
  expect(await Promise.all(shared)).toEqual([1, 1, 2]);
  expect(flights.size).toBe(0);
  expect(await flights.run('a', task)).toBe(3);
});

test('a task that fails rejects for all its callers and is forgotten', async () => {
  const flights = new SingleFlight<number>();
  const failing = (): Promise<number> => Promise.reject(new Error('failed'));
  const outcomes = await Promise.allSettled([flights.run('a', failing), flights.run('a', failing)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flights.run('a', async () => 1)).toBe(1);
});

test('once keeps a success and retries a failure', async () => {
  let runs = 0;
  const get = once(async (value: string) => {
    if (++runs === 1) throw new Error('failed');
    return `${value} ${runs}`;
  });
  await expect(get('x')).rejects.toThrow('failed');
  expect(await get('x')).toBe('x 2');
  expect(await get('y')).toBe('x 2');
});
