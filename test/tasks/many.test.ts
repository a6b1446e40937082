/** A thousand tasks at the same time, with answers, cancellations and expiries: each ends once, and nothing is left. */

import type { StoredTask, TaskStatus } from 'mcpp/extensions/tasks';
import type { Principal } from 'mcpp/server';
import { afterEach, expect, test, vi } from 'vitest';
import { open, quiet, type Wire } from '../wire.ts';
import { accept, makeStage, start, TASKS } from './stage.ts';

const CONNECTIONS = 50;
const TASKS_EACH = 20;
const FINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

afterEach(() => {
  vi.useRealTimers();
});

/** What becomes of a task: which tool, what the client does, and how it ends. */
interface Fate {
  readonly tool: string;
  readonly end: TaskStatus;
  /** Its time is over before it has ended. */
  readonly expires?: true;
  act?(wire: Wire, taskId: string): Promise<unknown>;
}

const answer = (wire: Wire, taskId: string, key: string): Promise<unknown> =>
  wire.call('tasks/update', { taskId, inputResponses: { [key]: accept('x') } });
const cancel = (wire: Wire, taskId: string): Promise<unknown> => wire.call('tasks/cancel', { taskId });

const FATES: readonly Fate[] = [
  { tool: 'only', end: 'completed' },
  { tool: 'broken', end: 'failed' },
  {
    tool: 'ask',
    end: 'completed',
    act: (wire, id) => Promise.all([1, 2].map((n) => answer(wire, id, `elicitation-${n}`))),
  },
  {
    tool: 'ask',
    end: 'cancelled',
    act: (wire, id) => Promise.all([answer(wire, id, 'elicitation-1'), cancel(wire, id)]),
  },
  { tool: 'work', end: 'cancelled', act: (wire, id) => Promise.all([cancel(wire, id), cancel(wire, id)]) },
  // The cancellation of a task that has ended changes nothing.
  { tool: 'only', end: 'completed', act: cancel },
  // Nobody does anything: they expire, one while it works, one while it asks, one half answered.
  { tool: 'work', end: 'failed', expires: true },
  { tool: 'ask', end: 'failed', expires: true },
  { tool: 'ask', end: 'failed', expires: true, act: (wire, id) => answer(wire, id, 'elicitation-2') },
  { tool: 'tell', end: 'failed', expires: true },
];

test('each ends in one final state, told once, and nothing comes after it', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const { server, store, works, faults } = makeStage({ ttlMs: 60_000 });
  const principals: (Principal | undefined)[] = [undefined, { subject: 'alice' }, { subject: 'bob' }];
  const capabilities = { elicitation: { form: {} }, extensions: { [TASKS]: {} } };
  const wires = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, number) => {
      const principal = principals[number % principals.length];
      return open(server, { capabilities, ...(principal ? { principal } : {}) });
    }),
  );
  const states = new Map<string, string[]>();
  const told = new Map<string, string[]>();
  const stops: (() => void)[] = [];

  const run = async (wire: Wire): Promise<[taskId: string, fate: Fate][]> => {
    const fates = Array.from({ length: TASKS_EACH }, (_, number) => FATES[number % FATES.length] as Fate);
    const mine = await Promise.all(fates.map(async (fate) => [await start(wire, fate.tool), fate] as [string, Fate]));
    const taskIds = mine.map(([taskId]) => taskId);
    for (const taskId of taskIds) {
      const seen: string[] = [];
      states.set(taskId, seen);
      stops.push(store.watch(taskId, ({ status }: StoredTask) => seen.push(status)));
    }
    void wire.call('subscriptions/listen', { notifications: { taskIds } });
    await quiet();
    await Promise.all(mine.map(([taskId, fate]) => fate.act?.(wire, taskId)));
    return mine;
  };
  const all = (await Promise.all(wires.map(run))).flat();
  expect(all).toHaveLength(CONNECTIONS * TASKS_EACH);
  expect(store.size).toBe(1000);
  await quiet();

  for (const [taskId, { end, expires }] of all) {
    if (!expires) expect(await store.get(taskId)).toMatchObject({ status: end });
  }

  vi.advanceTimersByTime(60_000);
  await quiet();
  for (const wire of wires) {
    for (const { params = {} } of wire.notices('notifications/tasks')) {
      const taskId = String(params['taskId']);
      told.set(taskId, [...(told.get(taskId) ?? []), String(params['status'])]);
    }
  }
  for (const [taskId, { end }] of all) {
    for (const seen of [states.get(taskId) ?? [], told.get(taskId) ?? []]) {
      expect(seen.slice(0, -1).filter((status) => FINAL.has(status))).toEqual([]);
    }
    expect(told.get(taskId)?.at(-1)).toBe(end);
  }
  // What handlers give now comes too late.
  const heard = [...states.values()].flat().length;
  expect(works.every(({ ctx }) => ctx.signal.aborted)).toBe(true);
  for (const { finish } of works) finish('too late');
  await quiet();
  expect([...states.values()].flat()).toHaveLength(heard);
  // Those that had ended are gone with their time; those that had not can be seen a little longer.
  for (const [taskId, { end, expires }] of all) {
    expect((await store.get(taskId))?.status).toBe(expires ? end : undefined);
  }

  vi.advanceTimersByTime(2_000);
  for (const stop of stops) stop();
  await Promise.all(wires.map((wire) => wire.disconnect()));
  await quiet();
  expect({ tasks: store.size, bytes: store.bytes, watchers: store.watchers, timers: vi.getTimerCount() }).toEqual({
    tasks: 0,
    bytes: 0,
    watchers: 0,
    timers: 0,
  });
  expect(faults).toEqual([]);
});
