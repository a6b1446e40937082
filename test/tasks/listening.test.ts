/** `notifications/tasks` over `subscriptions/listen`. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { open, quiet, type Reply, type Wire } from '../wire.ts';
import { ALICE, accept, BOB, makeStage, openDeclared, start, UNDECLARED, when } from './stage.ts';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

afterEach(() => {
  vi.useRealTimers();
});

/** Listens, and gives the acknowledgement. */
async function listen(wire: Wire, notifications: object, id = 'sub'): Promise<Reply> {
  void wire.call('subscriptions/listen', { notifications }, id);
  return wire.until(({ method, params }) => method === 'notifications/subscriptions/acknowledged' && of(params, id));
}

function of(params: Reply['params'], id: string): boolean {
  return (params?.['_meta'] as Record<string, unknown> | undefined)?.[SUBSCRIPTION] === id;
}

/** What was told of a task, without the mark of the subscription. */
function told(wire: Wire, taskId: string): Record<string, unknown>[] {
  return wire
    .notices('notifications/tasks')
    .map(({ params = {} }) => params)
    .filter((params) => params['taskId'] === taskId)
    .map(({ _meta, ...task }) => task);
}

test('the state a task is in is told, and then every change, as tasks/get shows it', async () => {
  const { server, store } = makeStage();
  const [wire, other] = [await openDeclared(server), await openDeclared(server)];
  const taskId = await start(other, 'ask');
  await when(other, taskId, 'input_required');
  const { params } = await listen(wire, { taskIds: [taskId] });
  expect(params).toEqual({ notifications: { taskIds: [taskId] }, _meta: { [SUBSCRIPTION]: 'sub' } });
  await quiet();
  const { resultType: _, _meta, ...shown } = await when(other, taskId, 'input_required');
  expect(told(wire, taskId)).toEqual([shown]);
  await other.call('tasks/update', { taskId, inputResponses: { 'elicitation-1': accept('a') } });
  await other.call('tasks/update', { taskId, inputResponses: { 'elicitation-2': accept('b') } });
  const { resultType: _type, _meta: _info, ...done } = await when(other, taskId, 'completed');
  const states = told(wire, taskId);
  expect(states.map(({ status }) => status)).toEqual(['input_required', 'input_required', 'working', 'completed']);
  expect(states.at(-1)).toEqual(done);
  expect(wire.notices('notifications/tasks').every((notice) => of(notice.params, 'sub'))).toBe(true);
  expect(store.watchers).toBe(0);
});

test('a task that is over already is told once', async () => {
  const { server, store } = makeStage();
  const wire = await openDeclared(server);
  const taskId = await start(wire, 'broken');
  await when(wire, taskId, 'failed');
  await listen(wire, { taskIds: [taskId, taskId] });
  await quiet();
  expect(told(wire, taskId)).toMatchObject([{ status: 'failed', error: { code: -32010 } }]);
  expect(store.watchers).toBe(0);
});

test('progress is told as a status message, and never as progress', async () => {
  const { server } = makeStage();
  const wire = await openDeclared(server);
  const taskId = await start(wire, 'tell', {
    _meta: { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' },
  });
  await listen(wire, { taskIds: [taskId] });
  await quiet();
  expect(told(wire, taskId).at(-1)).toMatchObject({ status: 'working', statusMessage: 'Half of it' });
  const methods = new Set(wire.received.map(({ method }) => method).filter((method) => method !== undefined));
  expect([...methods].sort()).toEqual(['notifications/subscriptions/acknowledged', 'notifications/tasks']);
});

test('the end of a task that was not done in time is told', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const { server, store } = makeStage({ ttlMs: 1000 });
  const wire = await openDeclared(server);
  const taskId = await start(wire, 'work');
  await listen(wire, { taskIds: [taskId] });
  await quiet();
  vi.advanceTimersByTime(1000);
  await quiet();
  expect(told(wire, taskId)).toMatchObject([{ status: 'working' }, { status: 'failed', error: { code: -32603 } }]);
  expect(store.watchers).toBe(0);
});

test('the end is told also if whoever worked on it is gone: nobody writes it', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const { server, store } = makeStage({ ttlMs: 1000 });
  const wire = await openDeclared(server);
  const task = { owner: '', revision: '2026-07-28', version: 1, status: 'working', questions: [], pollIntervalMs: 500 };
  const times = { createdAt: Date.now(), lastUpdatedAt: Date.now(), ttlMs: 1000 };
  const taskId = 'a'.repeat(40);
  await store.create({ taskId, ...task, ...times } as never);
  await listen(wire, { taskIds: [taskId] });
  await quiet();
  vi.advanceTimersByTime(1000);
  expect(told(wire, taskId)).toMatchObject([{ status: 'working' }, { status: 'failed', error: { code: -32603 } }]);
  expect((await wire.call('tasks/get', { taskId })).result).toMatchObject({ status: 'failed' });
});

test('whoever stops listening leaves nothing behind', async () => {
  const { server, store } = makeStage();
  const wire = await openDeclared(server);
  const taskId = await start(wire, 'work');
  await quiet();
  const before = store.watchers;
  await listen(wire, { taskIds: [taskId] });
  await quiet();
  expect(store.watchers).toBe(before + 1);
  wire.notify('notifications/cancelled', { requestId: 'sub' });
  await quiet();
  expect(store.watchers).toBe(before);
});

describe('what is refused', () => {
  test('a client without the extension: -32021', async () => {
    const { server } = makeStage();
    const wire = await open(server, { capabilities: UNDECLARED });
    expect((await wire.call('subscriptions/listen', { notifications: { taskIds: ['x'] } })).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
  });

  test.each([['x'], [{}], [null], [[1]], [['x', null]]])('ids that are none: %j', async (taskIds) => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const { error } = await wire.call('subscriptions/listen', { notifications: { taskIds } });
    expect(error).toEqual({ code: -32602, message: '"taskIds" must be a list of strings' });
  });

  test('more than a thousand ids', async () => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const taskIds = Array.from({ length: 1001 }, (_, number) => `${number}`);
    const { error } = await wire.call('subscriptions/listen', { notifications: { taskIds } });
    expect(error).toEqual({ code: -32602, message: '"taskIds" must have at most 1000 entries' });
  });

  test('tasks of somebody else are like tasks that do not exist: not told of, and not named', async () => {
    const { server, works } = makeStage();
    const [alice, bob] = [await openDeclared(server, ALICE), await openDeclared(server, BOB)];
    const [hers, his] = [await start(alice, 'work'), await start(bob, 'work')];
    const { params } = await listen(bob, { taskIds: [hers, 'unknown', his] });
    expect(params?.['notifications']).toEqual({ taskIds: [his] });
    await quiet();
    for (const { finish } of works) finish('done');
    await when(bob, his, 'completed');
    expect(told(bob, hers)).toEqual([]);
    expect(told(bob, his).map(({ status }) => status)).toEqual(['working', 'completed']);
    const nothing = await bob.call('subscriptions/listen', { notifications: { taskIds: [hers] } }, 'none');
    expect(nothing.result).toMatchObject({ _meta: { [SUBSCRIPTION]: 'none' } });
  });
});
