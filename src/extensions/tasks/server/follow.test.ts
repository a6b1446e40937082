import { expect, test } from 'vitest';
import { memoryTaskStore } from '../memory-store.ts';
import { follow } from './follow.ts';
import { officeOf } from './office.ts';
import { cancelled } from './state.ts';

test('whoever fails to hear of a change harms neither others who do, nor whoever made it', async () => {
  const store = memoryTaskStore();
  const office = officeOf({ store });
  const times = { createdAt: Date.now(), lastUpdatedAt: Date.now(), ttlMs: 60_000, pollIntervalMs: 1000 };
  const task = {
    taskId: 'a',
    owner: '',
    revision: '2026-07-28',
    version: 1,
    status: 'working',
    questions: [],
  } as const;
  await store.create({ ...task, ...times });
  const errors: unknown[] = [];
  const heard: unknown[] = [];
  const fail = (): never => {
    throw new Error('The line is broken');
  };
  follow(office, 'a', fail, (error) => errors.push(error));
  follow(
    office,
    'a',
    (seen) => heard.push(seen?.status),
    () => {},
  );
  expect(await store.change('a', (one) => cancelled(Date.now(), one))).toMatchObject({ status: 'cancelled' });
  expect([heard, errors]).toEqual([['cancelled'], [new Error('The line is broken')]]);
  expect(store.watchers).toBe(0);
});
