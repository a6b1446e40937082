/** Tasks as 2025-11-25 had them, in the protocol itself: over the same store, by the same handlers. */

import { memoryTaskStore } from 'mcpp/extensions/tasks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { open, quiet, type Reply, STATEFUL, type Wire, type WireOptions } from '../wire.ts';
import { ALICE, accept, BOB, makeStage, openDeclared, type Stage, start, UNDECLARED, when } from './stage.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const TASK = {
  taskId: expect.stringMatching(/^[0-9a-f]{40}$/),
  createdAt: TIME,
  lastUpdatedAt: TIME,
  ttl: 3_600_000,
  pollInterval: 1000,
};
const UNKNOWN = { code: -32602, message: 'Unknown task: there is none with this "taskId", or it has expired' };

const relatedTo = (taskId: string): object => ({ _meta: { 'io.modelcontextprotocol/related-task': { taskId } } });

afterEach(() => {
  vi.useRealTimers();
});

function openOld({ server }: Stage, options: WireOptions = {}): Promise<Wire> {
  return open(server, { revision: '2025-11-25', capabilities: UNDECLARED, ...options });
}

test.each([
  ['a caller it knows', ALICE, { list: {}, cancel: {}, requests: { tools: { call: {} } } }],
  ['anybody else', undefined, { cancel: {}, requests: { tools: { call: {} } } }],
])('the server declares to %s what it can do, and which tools can be tasks', async (_, principal, declared) => {
  const { server } = makeStage();
  const wire = await open(server, { revision: 'none', ...(principal ? { principal } : {}) });
  wire.say({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  });
  const { result } = await wire.answerTo(1);
  expect(result?.['capabilities']).toHaveProperty('tasks', declared);
  expect(result?.['capabilities']).not.toHaveProperty('extensions');
  wire.notify('notifications/initialized');
  wire.say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const { tools } = (await wire.answerTo(2)).result as { tools: { name: string; execution?: object }[] };
  expect(Object.fromEntries(tools.map(({ name, execution }) => [name, execution]))).toMatchObject({
    greet: undefined,
    never: undefined,
    work: { taskSupport: 'optional' },
    only: { taskSupport: 'required' },
  });
});

test.each(STATEFUL.filter((revision) => revision !== '2025-11-25'))('%s knows nothing of tasks', async (revision) => {
  const { server, works } = makeStage();
  const wire = await open(server, { revision });
  const { result } = await wire.call('tools/list');
  expect(JSON.stringify(result)).not.toContain('taskSupport');
  expect((await wire.call('tools/call', { name: 'only', arguments: {} })).error).toEqual({
    code: -32601,
    message: 'Tool only runs only as a task, which this protocol version does not have',
  });
  const answer = wire.call('tools/call', { name: 'work', arguments: {}, task: {} });
  await quiet();
  works[0]?.finish('done');
  expect((await answer).result).toEqual({ content: [{ type: 'text', text: 'done' }] });
  for (const method of ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel']) {
    expect((await wire.call(method, { taskId: 'x' })).error?.code).toBe(-32601);
  }
});

describe('a call', () => {
  test('with "task" is answered with the task; its result is there to be fetched, and says whose it is', async () => {
    const stage = makeStage();
    const wire = await openOld(stage);
    const { result } = await wire.call('tools/call', { name: 'work', arguments: {}, task: {} });
    expect(result).toEqual({ task: { status: 'working', ...TASK } });
    const { taskId } = (result?.['task'] ?? {}) as { taskId: string };
    expect((await wire.call('tasks/get', { taskId })).result).toEqual(result?.['task']);
    const fetched = wire.call('tasks/result', { taskId });
    await quiet();
    stage.works[0]?.finish('done');
    expect((await fetched).result).toEqual({ content: [{ type: 'text', text: 'done' }], ...relatedTo(taskId) });
    expect((await wire.call('tasks/get', { taskId })).result).toEqual({ status: 'completed', ...TASK });
    expect((await wire.call('tasks/result', { taskId })).result).toEqual((await fetched).result);
    expect(stage.store.watchers).toBe(0);
  });

  test('without "task" is answered when it is done, though the client says it has the extension', async () => {
    const { server, works } = makeStage();
    const wire = await open(server, {
      revision: '2025-11-25',
      capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    });
    const answer = wire.call('tools/call', { name: 'work', arguments: {} });
    await quiet();
    works[0]?.finish('done');
    expect((await answer).result).toEqual({ content: [{ type: 'text', text: 'done' }] });
  });

  test.each([
    ['greet', { task: {} }, 'Tool greet does not run as a task: call it without "task"'],
    ['never', { task: {} }, 'Tool never does not run as a task: call it without "task"'],
    ['only', {}, 'Tool only runs only as a task: call it with "task"'],
  ])('of %s with %j: -32601', async (name, more, message) => {
    const wire = await openOld(makeStage());
    const { error } = await wire.call('tools/call', { name, arguments: {}, ...more });
    expect(error).toEqual({ code: -32601, message });
  });

  test.each([
    [null, '"task" must be an object'],
    [[], '"task" must be an object'],
    ['x', '"task" must be an object'],
    [{ ttl: -1 }, '"task.ttl" must be a whole number of milliseconds, 0 or greater'],
    [{ ttl: 1.5 }, '"task.ttl" must be a whole number of milliseconds, 0 or greater'],
    [{ ttl: '1' }, '"task.ttl" must be a whole number of milliseconds, 0 or greater'],
  ])('with the task %j: -32602', async (task, message) => {
    const wire = await openOld(makeStage());
    const { error } = await wire.call('tools/call', { name: 'work', arguments: {}, task });
    expect(error).toEqual({ code: -32602, message });
  });

  test.each([
    [undefined, 3_600_000],
    [60_000, 60_000],
    [0, 1000],
    [null, 7_200_000],
    [10 ** 12, 7_200_000],
  ])('asks for the time %j and gets %d', async (ttl, given) => {
    const wire = await openOld(makeStage({ maxTtlMs: 7_200_000 }));
    const { result } = await wire.call('tools/call', { name: 'work', arguments: {}, task: { ttl } });
    expect(result?.['task']).toMatchObject({ ttl: given });
  });

  test('with "task" that finds the store full is told to come back later: it is the client who chose', async () => {
    const wire = await openOld(makeStage({ store: memoryTaskStore({ tasks: 1 }) }));
    await start(wire, 'work', { task: {} });
    for (const name of ['work', 'only']) {
      const { error } = await wire.call('tools/call', { name, arguments: {}, task: {} });
      expect(error).toEqual({
        code: -32603,
        message: 'The server has as many tasks as it can keep: try again later',
      });
    }
  });

  test('whose result says it is an error has failed; the result is the same as ever', async () => {
    const wire = await openOld(makeStage());
    const taskId = await start(wire, 'wrong', { task: {} });
    expect(await when(wire, taskId, 'failed')).toEqual({ status: 'failed', statusMessage: 'No disk', ...TASK });
    const { result } = await wire.call('tasks/result', { taskId });
    expect(result).toEqual({ content: [{ type: 'text', text: 'No disk' }], isError: true, ...relatedTo(taskId) });
  });

  test('that failed by an error gives that error as its result', async () => {
    const wire = await openOld(makeStage());
    const taskId = await start(wire, 'broken', { task: {} });
    expect(await when(wire, taskId, 'failed')).toEqual({ status: 'failed', statusMessage: 'Broken', ...TASK });
    const { error } = await wire.call('tasks/result', { taskId });
    expect(error).toEqual({ code: -32010, message: 'Broken', data: { part: 'disk' } });
  });
});

describe('questions', () => {
  test('are put to whoever waits for the result, several at once, and say whose they are', async () => {
    const stage = makeStage();
    const asked: unknown[] = [];
    const answer: WireOptions['answer'] = (method, params) => {
      asked.push([method, params['message'], params['_meta']]);
      return accept(String(params['message']));
    };
    const wire = await openOld(stage, { answer });
    const taskId = await start(wire, 'ask', { task: {} });
    await when(wire, taskId, 'input_required');
    expect(asked).toEqual([]);
    const { result } = (await wire.call('tasks/result', { taskId })) as { result?: { content?: { text: string }[] } };
    const { _meta } = relatedTo(taskId) as { _meta: object };
    expect(asked).toEqual([
      ['elicitation/create', 'First?', _meta],
      ['elicitation/create', 'Second?', _meta],
    ]);
    expect(JSON.parse(result?.content?.[0]?.text ?? '')).toEqual([accept('First?'), accept('Second?')]);
    expect(stage.store.watchers).toBe(0);
  });

  test('that the client refuses reach the handler as that', async () => {
    const stage = makeStage();
    const wire = await openOld(stage);
    const taskId = await start(wire, 'ask', { task: {} });
    const fetched = wire.call('tasks/result', { taskId });
    const { id } = await wire.until(({ method }) => method === 'elicitation/create');
    wire.say({ jsonrpc: '2.0', id, error: { code: -1, message: 'Nobody is here' } });
    expect((await fetched).error).toEqual({
      code: -32603,
      message: 'The client answered elicitation/create with error -1: Nobody is here',
    });
  });

  test('of a client that cannot be asked fail the call, and do not wait for ever', async () => {
    const stage = makeStage();
    const wire = await openOld(stage, { capabilities: {} });
    const taskId = await start(wire, 'ask', { task: {} });
    expect((await wire.call('tasks/result', { taskId })).error?.message).toContain('"elicitation.form"');
  });

  test('stay open when whoever was asked goes away, for the next who waits', async () => {
    const stage = makeStage();
    const wire = await openOld(stage);
    const taskId = await start(wire, 'ask', { task: {} });
    void wire.call('tasks/result', { taskId }, 'first');
    await wire.until(({ method }) => method === 'elicitation/create');
    wire.notify('notifications/cancelled', { requestId: 'first' });
    await quiet();
    expect(await when(wire, taskId, 'input_required')).toMatchObject({ status: 'input_required' });
    const again = await openOld(stage, { answer: () => ({ action: 'decline' }) });
    expect((await again.call('tasks/result', { taskId })).result).toMatchObject(relatedTo(taskId));
    expect(stage.store.watchers).toBe(0);
  });

  const idsOf = (wire: Wire): unknown[] =>
    wire.received.filter(({ method }) => method === 'elicitation/create').map(({ id }) => id);
  const takenBack = (wire: Wire): unknown[] =>
    wire.notices('notifications/cancelled').map(({ params }) => params?.['requestId']);

  test('are put to one who waits at a time, the newest; whoever was asked before is told so', async () => {
    const stage = makeStage();
    const [first, second] = [await openOld(stage), await openOld(stage)];
    const taskId = await start(first, 'ask', { task: {} });
    const fetched = first.call('tasks/result', { taskId });
    await first.until(({ method }) => method === 'elicitation/create');
    const again = second.call('tasks/result', { taskId });
    await quiet();
    expect([idsOf(first).length, idsOf(second).length]).toEqual([2, 2]);
    expect(takenBack(first)).toEqual(idsOf(first));
    // What the first one still says comes too late.
    for (const id of idsOf(first)) first.say({ jsonrpc: '2.0', id, result: accept('late') });
    for (const id of idsOf(second)) second.say({ jsonrpc: '2.0', id, result: accept('x') });
    const text = JSON.stringify([accept('x'), accept('x')]);
    for (const waiting of [fetched, again]) expect((await waiting).result).toMatchObject({ content: [{ text }] });
    expect([idsOf(first).length, takenBack(second)]).toEqual([2, []]);
    expect(stage.store.watchers).toBe(0);
  });

  test('are put by the one before, when the newest who waits goes', async () => {
    const stage = makeStage();
    const [first, second] = [await openOld(stage, { answer: () => ({ action: 'decline' }) }), await openOld(stage)];
    const taskId = await start(second, 'ask', { task: {} });
    void second.call('tasks/result', { taskId });
    await second.until(({ method }) => method === 'elicitation/create');
    // Three wait, and the last of them is the second client again.
    const fetched = first.call('tasks/result', { taskId });
    void second.call('tasks/result', { taskId });
    await second.disconnect();
    expect((await fetched).result).toMatchObject(relatedTo(taskId));
    expect(stage.store.watchers).toBe(0);
  });

  test('by URL keep their id when they are put again, so that nobody takes them for others', async () => {
    const stage = makeStage();
    stage.server.registerTool('sign_in', { task: 'auto' }, async (_, ctx) => {
      const { action } = await ctx.elicitUrl('Sign in', 'https://example.com/sign-in');
      return action;
    });
    const capabilities = { elicitation: { form: {}, url: {} } };
    const [first, second] = [await openOld(stage, { capabilities }), await openOld(stage, { capabilities })];
    const taskId = await start(first, 'sign_in', { task: {} });
    void first.call('tasks/result', { taskId });
    const isAsked = ({ method }: Reply): boolean => method === 'elicitation/create';
    const { params: before } = await first.until(isAsked);
    void second.call('tasks/result', { taskId });
    const { params: after } = await second.until(isAsked);
    expect(before).toHaveProperty('elicitationId', expect.any(String));
    expect(after).toEqual(before);
  });

  test('are taken back when the task is cancelled', async () => {
    const stage = makeStage();
    const wire = await openOld(stage);
    const taskId = await start(wire, 'ask', { task: {} });
    const fetched = wire.call('tasks/result', { taskId });
    const { id } = await wire.until(({ method }) => method === 'elicitation/create');
    await wire.call('tasks/cancel', { taskId });
    expect((await fetched).error).toEqual({ code: -32603, message: 'The task was cancelled' });
    await quiet();
    expect(takenBack(wire)).toContain(id);
    expect(stage.store.watchers).toBe(0);
  });
});

describe('the end', () => {
  test('a cancelled task is shown as that, and cannot be cancelled again', async () => {
    const stage = makeStage();
    const wire = await openOld(stage);
    const taskId = await start(wire, 'work', { task: {} });
    await quiet();
    const shown = { status: 'cancelled', statusMessage: 'The task was cancelled', ...TASK };
    expect((await wire.call('tasks/cancel', { taskId })).result).toEqual(shown);
    expect(stage.works[0]?.ctx.signal.aborted).toBe(true);
    expect((await wire.call('tasks/get', { taskId })).result).toEqual(shown);
    const { error } = await wire.call('tasks/cancel', { taskId });
    expect(error).toEqual({ code: -32602, message: 'The task cannot be cancelled: it is cancelled already' });
    expect((await wire.call('tasks/result', { taskId })).error?.message).toBe('The task was cancelled');
  });

  test('of a task whose time is over is an error for whoever waits, and then nothing', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const stage = makeStage();
    const wire = await openOld(stage);
    const taskId = await start(wire, 'work', { task: { ttl: 5000 } });
    const fetched = wire.call('tasks/result', { taskId });
    await quiet();
    vi.advanceTimersByTime(5000);
    expect((await fetched).error).toEqual({
      code: -32603,
      message: 'The task expired: it was not done within the time it is kept',
    });
    vi.advanceTimersByTime(2000);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect((await wire.call(method, { taskId })).error).toEqual(UNKNOWN);
    }
    expect([stage.store.size, stage.store.watchers]).toEqual([0, 0]);
  });
});

describe('the list', () => {
  test("has the caller's own tasks in pages, all of them and no others", async () => {
    const stage = makeStage();
    const [alice, bob] = [await openOld(stage, { principal: ALICE }), await openOld(stage, { principal: BOB })];
    const ids = await Promise.all(Array.from({ length: 130 }, () => start(alice, 'work', { task: {} })));
    const his = await start(bob, 'work', { task: {} });
    const { result: first } = await alice.call('tasks/list');
    const { result: second } = await alice.call('tasks/list', { cursor: first?.['nextCursor'] });
    const listed = [first, second].flatMap((page) => page?.['tasks'] as { taskId: string }[]);
    expect(listed).toHaveLength(130);
    expect(listed.map(({ taskId }) => taskId).sort()).toEqual([...ids].sort());
    expect(listed[0]).toEqual({ status: 'working', ...TASK });
    expect(second).not.toHaveProperty('nextCursor');
    expect((await bob.call('tasks/list')).result).toEqual({ tasks: [{ status: 'working', ...TASK, taskId: his }] });
  });

  test('is not there for callers nobody vouches for: they would see each other', async () => {
    const stage = makeStage();
    const wire = await openOld(stage);
    await start(wire, 'work', { task: {} });
    expect((await wire.call('tasks/list')).error?.code).toBe(-32601);
  });

  test.each([['x'], [''], [5], [null]])('knows no cursor %j', async (cursor) => {
    const wire = await openOld(makeStage(), { principal: ALICE });
    expect((await wire.call('tasks/list', { cursor })).error?.code).toBe(-32602);
  });
});

test('tasks of one revision are unknown to the other', async () => {
  const stage = makeStage();
  const [old, recent] = [await openOld(stage), await openDeclared(stage.server)];
  const [oldId, recentId] = [await start(old, 'work', { task: {} }), await start(recent, 'work')];
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    expect((await old.call(method, { taskId: recentId })).error).toEqual(UNKNOWN);
  }
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    expect((await recent.call(method, { taskId: oldId, inputResponses: {} })).error).toEqual(UNKNOWN);
  }
  expect((await old.call('tasks/update', { taskId: oldId, inputResponses: {} })).error?.code).toBe(-32601);
});
