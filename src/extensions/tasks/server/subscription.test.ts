import type { Context } from 'mcpp/server';
import { expect, test } from 'vitest';
import { memoryTaskStore } from '../memory-store.ts';
import { officeOf } from './office.ts';
import { Places } from './places.ts';
import { taskIdsField } from './subscription.ts';

const ctx = { revision: '2026-07-28' } as Context;

test('tasks beyond what can be told of are left out, until somebody stops listening', async () => {
  const store = memoryTaskStore();
  const office = { ...officeOf({ store }), subscribed: new Places({ all: 3, perOwner: 3 }) };
  const times = { createdAt: Date.now(), lastUpdatedAt: Date.now(), ttlMs: 60_000, pollIntervalMs: 1000 };
  const task = { owner: '', revision: '2026-07-28', version: 1, status: 'working', questions: [] } as const;
  const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
  for (const taskId of [a, b]) await store.create({ ...task, taskId, ...times });
  const field = taskIdsField(office);

  const first = await field([a, b], ctx);
  const stop = first?.begin(() => {});
  const second = await field([a, b], ctx);
  expect([first?.accepted, second?.accepted]).toEqual([[a, b], [a]]);
  const stopOther = second?.begin(() => {});
  expect(await field([a], ctx)).toBeUndefined();
  stop?.();
  expect((await field([a, b], ctx))?.accepted).toEqual([a, b]);
  stopOther?.();
  expect([store.watchers, office.subscribed.free('')]).toEqual([0, 3]);
});
