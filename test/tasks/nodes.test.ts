/** Two nodes with one store: what is said to one reaches the handler on the other, through a store that takes its time. */

import { setImmediate } from 'node:timers/promises';
import { memoryTaskStore, type StoredTask, type TaskStore } from 'mcpp/extensions/tasks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { open, quiet, type Reply, type Wire } from '../wire.ts';
import { accept, makeStage, openDeclared, type Stage, start, UNDECLARED, when } from './stage.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A store on the other side of a network: everything comes later, news comes twice, and the older news last. */
function distant(store: TaskStore): TaskStore {
  const later = async <T>(action: () => Promise<T>): Promise<T> => {
    await setImmediate();
    const result = await action();
    await setImmediate();
    return result;
  };
  return {
    create: (task) => later(() => store.create(task)),
    get: (taskId) => later(() => store.get(taskId)),
    change: (taskId, step) =>
      later(() =>
        store.change(taskId, (task) => {
          // As if the first attempt had come to nothing.
          step(task);
          return step(task);
        }),
      ),
    list: (query) => later(() => store.list(query)),
    watch(taskId, listener) {
      let before: StoredTask | undefined;
      return store.watch(taskId, (task) => {
        const news = [task, task, ...(before ? [before] : [])];
        before = task;
        void later(async () => news.forEach(listener));
      });
    },
  };
}

interface Nodes {
  readonly here: Stage;
  readonly there: Stage;
}

function twoNodes(options: object = {}): Nodes {
  const store = memoryTaskStore();
  return {
    here: makeStage({ ...options, store: distant(store) }),
    there: makeStage({ ...options, store: distant(store) }),
  };
}

/** Waits until both questions of `ask` can be seen. */
async function bothAsked(wire: Wire, taskId: string): Promise<void> {
  for (;;) {
    const { inputRequests } = await when(wire, taskId, 'input_required');
    if (Object.keys(inputRequests as object).length === 2) return;
  }
}

test('a task that runs on one node is asked for and answered on another', async () => {
  const { here, there } = twoNodes();
  const [mine, other] = [await openDeclared(here.server), await openDeclared(there.server)];
  const taskId = await start(mine, 'ask');
  await bothAsked(other, taskId);
  for (const key of ['elicitation-1', 'elicitation-2']) {
    await other.call('tasks/update', { taskId, inputResponses: { [key]: accept(key) } });
  }
  const { result } = (await when(other, taskId, 'completed')) as { result?: { content: { text: string }[] } };
  expect(JSON.parse(result?.content[0]?.text ?? '')).toEqual([accept('elicitation-1'), accept('elicitation-2')]);
});

test('a cancellation on one node aborts the handler on the other', async () => {
  const { here, there } = twoNodes();
  const [mine, other] = [await openDeclared(here.server), await openDeclared(there.server)];
  const taskId = await start(mine, 'work');
  await quiet();
  await other.call('tasks/cancel', { taskId });
  await quiet();
  expect(here.works[0]?.ctx.signal.aborted).toBe(true);
  expect(await when(mine, taskId, 'cancelled')).toMatchObject({ status: 'cancelled' });
});

test('states are told in order, each once, and nothing after the last', async () => {
  const { here, there } = twoNodes();
  const [mine, other] = [await openDeclared(here.server), await openDeclared(there.server)];
  const taskId = await start(mine, 'ask');
  void other.call('subscriptions/listen', { notifications: { taskIds: [taskId] } });
  await bothAsked(mine, taskId);
  await mine.call('tasks/update', { taskId, inputResponses: { 'elicitation-1': accept('x') } });
  await mine.call('tasks/update', { taskId, inputResponses: { 'elicitation-2': accept('x') } });
  await when(mine, taskId, 'completed');
  await quiet();
  await quiet();
  const told = other
    .notices('notifications/tasks')
    .map(({ params }) => params as { status: string; lastUpdatedAt: string });
  expect(told.at(-1)?.status).toBe('completed');
  expect(told.filter(({ status }) => status === 'completed')).toHaveLength(1);
  const times = told.map(({ lastUpdatedAt }) => Date.parse(lastUpdatedAt));
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

test('a client of 2025-11-25 is asked once, by the node it waits at', async () => {
  const { here, there } = twoNodes();
  const asked: unknown[] = [];
  const old = { revision: '2025-11-25', capabilities: UNDECLARED };
  const mine = await open(here.server, old);
  const answer = (_: string, params: Readonly<Record<string, unknown>>): object => {
    asked.push(params['message']);
    return accept('x');
  };
  const other = await open(there.server, { ...old, answer });
  const taskId = await start(mine, 'ask', { task: {} });
  const { result } = await other.call('tasks/result', { taskId });
  expect(result).toHaveProperty('content');
  expect(asked.sort()).toEqual(['First?', 'Second?']);
});

test('what is answered at one node is taken back at the other', async () => {
  const { here, there } = twoNodes();
  const old = { revision: '2025-11-25', capabilities: UNDECLARED };
  const [mine, other] = [await open(here.server, old), await open(there.server, old)];
  const taskId = await start(mine, 'ask', { task: {} });
  const isFirst = ({ method, params }: Reply): boolean =>
    method === 'elicitation/create' && params?.['message'] === 'First?';
  for (const wire of [mine, other]) void wire.call('tasks/result', { taskId });
  const [{ id }, answered] = await Promise.all([mine.until(isFirst), other.until(isFirst)]);
  other.say({ jsonrpc: '2.0', id: answered.id, result: accept('x') });
  const { params } = await mine.until(({ method }) => method === 'notifications/cancelled');
  expect(params).toMatchObject({ requestId: id });
  expect(await when(mine, taskId, 'input_required')).toMatchObject({ status: 'input_required' });
});

test('a task names the node that runs it', async () => {
  const store = memoryTaskStore();
  const nodes = await Promise.all(
    [makeStage({ store }), makeStage({ store })].map(async ({ server }) => {
      const taskId = await start(await openDeclared(server), 'work');
      return (await store.get(taskId))?.node;
    }),
  );
  expect(nodes).toEqual([expect.any(String), expect.any(String)]);
  expect(nodes[0]).not.toBe(nodes[1]);
});

describe('a node that died', () => {
  test('leaves tasks that end with their time, for whoever asks or waits', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const { store, server } = makeStage();
    const times = { createdAt: Date.now(), lastUpdatedAt: Date.now(), ttlMs: 5000, pollIntervalMs: 1000 };
    const left = { owner: '', version: 1, status: 'working', questions: [], ...times } as const;
    const [old, recent] = ['a'.repeat(40), 'b'.repeat(40)];
    await store.create({ taskId: old, revision: '2025-11-25', ...left });
    await store.create({ taskId: recent, revision: '2026-07-28', ...left });
    const waiting = await open(server, { revision: '2025-11-25' });
    const wire = await openDeclared(server);
    const fetched = waiting.call('tasks/result', { taskId: old });
    expect(await when(wire, recent, 'working')).toMatchObject({ status: 'working' });
    await quiet();
    vi.advanceTimersByTime(5000);
    expect((await fetched).error?.message).toMatch(/^The task expired/);
    expect(await when(wire, recent, 'failed')).toMatchObject({ error: { code: -32603 } });
    vi.advanceTimersByTime(2000);
    expect((await wire.call('tasks/get', { taskId: recent })).error?.code).toBe(-32602);
    expect([store.size, store.watchers]).toEqual([0, 0]);
  });
});
