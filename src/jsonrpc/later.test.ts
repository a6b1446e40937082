import { expect, test, vi } from 'vitest';
import { later } from './later.ts';

test('a part is loaded by its first use, once for all who wait, and used at once from then on', async () => {
  const load = vi.fn(async () => ({ name: 'part' }));
  const part = later(load);
  expect(load).not.toHaveBeenCalled();
  const order: number[] = [];
  const waiting = [1, 2, 3].map((turn) => part.use(() => order.push(turn)));
  expect(waiting[0]).toBeInstanceOf(Promise);
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
  expect(part.use(({ name }) => name)).toBe('part');
  expect(load).toHaveBeenCalledTimes(1);
});

test('who uses what cannot be loaded is told, and the next one tries again', async () => {
  let isThere = false;
  const part = later(async () => {
    if (!isThere) throw new Error('no such chunk');
    return { name: 'part' };
  });
  const both = await Promise.allSettled([part.use(() => 1), part.use(() => 2)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isThere = true;
  expect(await part.use(({ name }) => name)).toBe('part');
});
