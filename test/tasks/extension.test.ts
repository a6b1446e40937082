/** Tasks of 2026-07-28, message by message. */

import { memoryTaskStore } from 'mcpp/extensions/tasks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { open, quiet } from '../wire.ts';
import { ALICE, accept, BOB, DECLARED, makeStage, openDeclared, start, UNDECLARED, when } from './stage.ts';

const SERVER_INFO = { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } } };
const ACK = { resultType: 'complete', ...SERVER_INFO };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const TASK = {
  taskId: expect.stringMatching(/^[0-9a-f]{40}$/),
  createdAt: TIME,
  lastUpdatedAt: TIME,
  ttlMs: 3_600_000,
  pollIntervalMs: 1000,
  ...SERVER_INFO,
};

afterEach(() => {
  vi.useRealTimers();
});

test('the server declares the extension, and no capability of that name', async () => {
  const { server } = makeStage();
  const wire = await open(server);
  const { result } = await wire.call('server/discover');
  expect(result?.['capabilities']).toMatchObject({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
  expect(result?.['capabilities']).not.toHaveProperty('tasks');
});

const form = (message: string): object => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
});

describe('a call', () => {
  test('is answered with the task, which can be asked for at once, and later with what came of it', async () => {
    const { server, works } = makeStage();
    const wire = await openDeclared(server);
    const { result } = await wire.call('tools/call', { name: 'work', arguments: {} });
    expect(result).toEqual({ resultType: 'task', status: 'working', ...TASK });
    const taskId = String(result?.['taskId']);
    expect((await wire.call('tasks/get', { taskId })).result).toEqual({ ...result, resultType: 'complete' });
    await quiet();
    works[0]?.finish('done');
    expect(await when(wire, taskId, 'completed')).toEqual({
      resultType: 'complete',
      status: 'completed',
      ...TASK,
      result: { content: [{ type: 'text', text: 'done' }], ...ACK },
    });
  });

  test('of a client that did not declare the extension is answered when it is done', async () => {
    const { server, works, store } = makeStage();
    const wire = await open(server, { capabilities: UNDECLARED });
    const answer = wire.call('tools/call', { name: 'work', arguments: {} });
    await quiet();
    works[0]?.finish('done');
    expect((await answer).result).toEqual({ content: [{ type: 'text', text: 'done' }], ...ACK });
    expect(store.size).toBe(0);
  });

  test('of a tool that runs only as a task is refused to such a client, with what it would have to declare', async () => {
    const { server } = makeStage();
    const wire = await open(server, { capabilities: UNDECLARED });
    expect((await wire.call('tools/call', { name: 'only', arguments: {} })).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
  });

  test.each(['greet', 'never'])('of a tool that is no task is answered as ever: %s', async (name) => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const { result } = await wire.call('tools/call', { name, arguments: {}, task: { ttl: 1 } });
    expect(result).toEqual({ content: [{ type: 'text', text: 'Hello!' }], ...ACK });
  });

  test('that fails by a JSON-RPC error fails; one whose result says it is an error is complete', async () => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const failed = await when(wire, await start(wire, 'broken'), 'failed');
    expect(failed).toMatchObject({
      statusMessage: 'Broken',
      error: { code: -32010, message: 'Broken', data: { part: 'disk' } },
    });
    expect(failed).not.toHaveProperty('result');
    const completed = await when(wire, await start(wire, 'wrong'), 'completed');
    expect(completed).toMatchObject({ result: { isError: true, content: [{ text: 'No disk' }] } });
    expect(completed).not.toHaveProperty('error');
  });

  test('with arguments that do not fit makes no task', async () => {
    const { server, store } = makeStage();
    server.registerTool('strict', { task: 'auto', inputSchema: { type: 'object', required: ['a'] } }, () => 'x');
    const wire = await openDeclared(server);
    const { result } = await wire.call('tools/call', { name: 'strict', arguments: { x: 1 } });
    expect(result).toMatchObject({ isError: true, resultType: 'complete' });
    expect(store.size).toBe(0);
  });

  test('that finds the store full is answered when it is done, if the tool can be called without a task', async () => {
    const { server, works } = makeStage({ store: memoryTaskStore({ tasks: 1 }) });
    const wire = await openDeclared(server);
    await start(wire, 'only');
    const answer = wire.call('tools/call', { name: 'work', arguments: {} });
    await quiet();
    works[0]?.finish('done');
    expect((await answer).result).toEqual({ content: [{ type: 'text', text: 'done' }], ...ACK });
    // What it asks is asked in rounds then, also after a hand-off that was none.
    const params = { name: 'later', arguments: {} };
    const rounds: object[] = [];
    for (let result: Record<string, unknown> = {}; ; ) {
      const keys = Object.keys(result['inputRequests'] ?? {});
      const inputResponses = Object.fromEntries(keys.map((key) => [key, accept('x')]));
      const { requestState } = result;
      const { result: next = {} } = await wire.call('tools/call', { ...params, inputResponses, requestState });
      if (next['resultType'] === 'complete') {
        expect(next).toMatchObject({ content: [{ text: JSON.stringify([false, accept('x'), accept('x')]) }] });
        break;
      }
      rounds.push(Object.values(next['inputRequests'] as object));
      result = next;
    }
    expect(rounds).toEqual([[form('Before?')], [form('After?')]]);
  });

  test('that finds the store full is told to come back later, if the tool runs only as a task', async () => {
    const { server, works, faults } = makeStage({ store: memoryTaskStore({ tasks: 1 }) });
    const wire = await openDeclared(server);
    await start(wire, 'work');
    await quiet();
    const { error } = await wire.call('tools/call', { name: 'only', arguments: {} });
    expect(error).toEqual({
      code: -32603,
      message: 'The server has as many tasks as it can keep: try again later',
    });
    expect([works.length, faults]).toEqual([1, []]);
  });

  test('that was cancelled counts until its handler has ended, so that nobody piles handlers up', async () => {
    const handlers: ((text: string) => void)[] = [];
    const stage = makeStage({ runningPerOwner: 2 });
    // Handlers that take no notice of their signal.
    const deaf = (): Promise<string> => new Promise((resolve) => handlers.push(resolve));
    const server = stage.server.registerTool('deaf', { task: 'required' }, deaf);
    const [alice, bob] = [await openDeclared(server, ALICE), await openDeclared(server, BOB)];
    for (let number = 0; number < 2; number++) {
      await alice.call('tasks/cancel', { taskId: await start(alice, 'deaf') });
    }
    const { error } = await alice.call('tools/call', { name: 'deaf', arguments: {} });
    expect(error?.message).toBe('The server has as many tasks as it can keep: try again later');
    await start(bob, 'deaf');
    expect(handlers).toHaveLength(3);
    handlers[0]?.('at last');
    await quiet();
    await start(alice, 'deaf');
    expect([handlers.length, stage.faults]).toEqual([4, []]);
  });

  test('that could not be kept does not count', async () => {
    const { server, store } = makeStage({ runningPerOwner: 1 });
    const create = vi.spyOn(store, 'create').mockRejectedValueOnce(new Error('No route'));
    const wire = await openDeclared(server, ALICE);
    expect((await wire.call('tools/call', { name: 'only', arguments: {} })).error?.code).toBe(-32603);
    await start(wire, 'only');
    expect(create).toHaveBeenCalledTimes(2);
  });

  test('that the store fails is told no more than that, and its handler does not run', async () => {
    const { server, store, works, faults } = makeStage();
    vi.spyOn(store, 'create').mockRejectedValue(new Error('No route to 10.0.0.7'));
    const wire = await openDeclared(server);
    const { error } = await wire.call('tools/call', { name: 'work', arguments: {} });
    expect(error?.message).toMatch(/^Internal error \(reference [0-9a-f]{8}\)$/);
    expect([works, faults]).toEqual([[], [new Error('No route to 10.0.0.7')]]);
  });
});

test('how far it has got is its status message: there is no progress and no log', async () => {
  const { server } = makeStage();
  const wire = await openDeclared(server);
  const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };
  const taskId = await start(wire, 'tell', { _meta: meta });
  await quiet();
  expect(await when(wire, taskId, 'working')).toMatchObject({ statusMessage: 'Half of it' });
  expect(wire.received.filter(({ method }) => method !== undefined)).toEqual([]);
});

describe('questions', () => {
  test('stand in the task, several at once, and are answered one by one', async () => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'ask');
    const asking = await when(wire, taskId, 'input_required');
    expect(asking['inputRequests']).toEqual({ 'elicitation-1': form('First?'), 'elicitation-2': form('Second?') });
    const update = async (inputResponses: object): Promise<unknown> =>
      (await wire.call('tasks/update', { taskId, inputResponses })).result;
    expect(await update({ 'elicitation-2': accept('b') })).toEqual(ACK);
    expect(await when(wire, taskId, 'input_required')).toMatchObject({
      inputRequests: { 'elicitation-1': form('First?') },
    });
    // Answered already, never asked, and no name for anything.
    const others = ['elicitation-2', 'other', '__proto__', 'constructor'].map((key) => `"${key}":{"action":"cancel"}`);
    expect(await update(JSON.parse(`{${others}}`))).toEqual(ACK);
    expect(await update({ 'elicitation-1': accept('a') })).toEqual(ACK);
    const { result } = (await when(wire, taskId, 'completed')) as { result?: { content: { text: string }[] } };
    expect(JSON.parse(result?.content[0]?.text ?? '')).toEqual([accept('a'), accept('b')]);
  });

  test('all answered at once are as good', async () => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'ask');
    const { inputRequests } = (await when(wire, taskId, 'input_required')) as { inputRequests?: object };
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests ?? {}).map((key) => [key, { action: 'decline' }]),
    );
    await wire.call('tasks/update', { taskId, inputResponses });
    expect(await when(wire, taskId, 'completed')).toMatchObject({ status: 'completed' });
  });

  test.each([
    ['accept'],
    [null],
    [[]],
    [{}],
    [{ action: 'agree' }],
    [{ action: 'accept', content: 'x' }],
    [{ method: 'elicitation/create' }],
  ])('stay open for what is no answer: %j', async (answer) => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'ask');
    await when(wire, taskId, 'input_required');
    const { result } = await wire.call('tasks/update', { taskId, inputResponses: { 'elicitation-1': answer } });
    expect(result).toEqual(ACK);
    const { inputRequests } = await when(wire, taskId, 'input_required');
    expect(Object.keys(inputRequests as object)).toEqual(['elicitation-1', 'elicitation-2']);
  });

  test('whose answer does not fit the form are put again, under another key', async () => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'ask');
    await when(wire, taskId, 'input_required');
    const wrong = { action: 'accept', content: { name: 5 } };
    await wire.call('tasks/update', { taskId, inputResponses: { 'elicitation-1': wrong } });
    await quiet();
    const { inputRequests } = await when(wire, taskId, 'input_required');
    expect(inputRequests).toEqual({ 'elicitation-2': form('Second?'), 'elicitation-3': form('First?') });
  });

  test('stay open for an answer there is no room for, and whoever gave it is told', async () => {
    const { server, faults } = makeStage({ store: memoryTaskStore({ bytes: 10_000 }) });
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'ask');
    await when(wire, taskId, 'input_required');
    const update = (text: string) =>
      wire.call('tasks/update', { taskId, inputResponses: { 'elicitation-1': accept(text) } });
    expect((await update('x'.repeat(10_000))).error).toEqual({
      code: -32603,
      message: 'The server has no room to keep the answers',
    });
    expect(await when(wire, taskId, 'input_required')).toMatchObject({ inputRequests: { 'elicitation-1': {} } });
    expect((await update('x')).result).toEqual(ACK);
    expect(faults).toEqual([]);
  });

  test('that nobody answers any more end with the task', async () => {
    const { server, store } = makeStage();
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'ask');
    await when(wire, taskId, 'input_required');
    await wire.call('tasks/cancel', { taskId });
    const cancelled = await when(wire, taskId, 'cancelled');
    expect(cancelled).not.toHaveProperty('inputRequests');
    const { result } = await wire.call('tasks/update', { taskId, inputResponses: { 'elicitation-1': accept('x') } });
    expect(result).toEqual(ACK);
    expect(await when(wire, taskId, 'cancelled')).toEqual(cancelled);
    expect(store.watchers).toBe(0);
  });

  test('before a hand-off by hand are rounds, after it inputs of the task', async () => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const params = { name: 'later', arguments: {} };
    const round = (await wire.call('tools/call', params)).result as Record<string, unknown>;
    expect(round).toMatchObject({ resultType: 'input_required' });
    expect(round).not.toHaveProperty('taskId');
    const [key = ''] = Object.keys(round['inputRequests'] as object);
    const inputResponses = { [key]: accept('one') };
    const answer = await wire.call('tools/call', { ...params, inputResponses, requestState: round['requestState'] });
    expect(answer.result).toEqual({ resultType: 'task', status: 'working', ...TASK });
    const taskId = String(answer.result?.['taskId']);
    expect(await when(wire, taskId, 'input_required')).toMatchObject({
      inputRequests: { 'elicitation-1': form('After?') },
    });
    await wire.call('tasks/update', { taskId, inputResponses: { 'elicitation-1': accept('two') } });
    const { result } = (await when(wire, taskId, 'completed')) as { result?: { content: { text: string }[] } };
    expect(JSON.parse(result?.content[0]?.text ?? '')).toEqual([true, accept('one'), accept('two')]);
  });
});

describe('a cancellation', () => {
  test('ends the task at once and reaches the handler; what that gives afterwards is dropped', async () => {
    const { server, works, faults } = makeStage();
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'work');
    await quiet();
    expect((await wire.call('tasks/cancel', { taskId })).result).toEqual(ACK);
    const { result } = await wire.call('tasks/get', { taskId });
    expect(result).toMatchObject({ status: 'cancelled', statusMessage: 'The task was cancelled' });
    expect(works[0]?.ctx.signal.aborted).toBe(true);
    works[0]?.finish('too late');
    await quiet();
    expect((await wire.call('tasks/get', { taskId })).result).toEqual(result);
    expect(faults).toEqual([]);
  });

  test('of a task that is over is acknowledged, and changes nothing', async () => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'only');
    const before = await when(wire, taskId, 'completed');
    expect((await wire.call('tasks/cancel', { taskId })).result).toEqual(ACK);
    expect(await when(wire, taskId, 'completed')).toEqual(before);
  });

  test('is nothing that the end of the connection brings', async () => {
    const { server, works } = makeStage();
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'work');
    await quiet();
    await wire.disconnect();
    expect(works[0]?.ctx.signal.aborted).toBe(false);
    works[0]?.finish('done');
    const other = await openDeclared(server);
    expect(await when(other, taskId, 'completed')).toMatchObject({ status: 'completed' });
  });
});

test('a task that is not done in its time has failed, its handler is told, and soon nothing is known of it', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const { server, store, works } = makeStage({ ttlMs: 60_000, pollIntervalMs: 500 });
  const wire = await openDeclared(server);
  const taskId = await start(wire, 'work');
  await quiet();
  vi.advanceTimersByTime(59_999);
  expect(await when(wire, taskId, 'working')).toMatchObject({ ttlMs: 60_000, pollIntervalMs: 500 });
  vi.advanceTimersByTime(1);
  expect(await when(wire, taskId, 'failed')).toMatchObject({
    error: { code: -32603, message: 'The task expired: it was not done within the time it is kept' },
  });
  expect(works[0]?.ctx.signal.aborted).toBe(true);
  vi.advanceTimersByTime(1000);
  expect((await wire.call('tasks/get', { taskId })).error?.code).toBe(-32602);
  expect([store.size, store.watchers]).toEqual([0, 0]);
});

describe('what is asked for wrongly', () => {
  const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;

  test.each(METHODS)('%s of a client without the extension: -32021, whatever it names', async (method) => {
    const { server } = makeStage();
    const mine = await openDeclared(server);
    const taskId = await start(mine, 'work');
    const wire = await open(server, { capabilities: UNDECLARED });
    for (const params of [{ taskId }, { taskId: 'x' }, {}]) {
      expect((await wire.call(method, params)).error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      });
    }
  });

  test.each(METHODS)('%s with an id that is none: -32602, always in the same words', async (method) => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    for (const taskId of ['', 'x', '0'.repeat(40), '__proto__', 'x'.repeat(100_000)]) {
      expect((await wire.call(method, { taskId, inputResponses: {} })).error).toEqual({
        code: -32602,
        message: 'Unknown task: there is none with this "taskId", or it has expired',
      });
    }
    for (const taskId of [undefined, null, 5, {}, ['x']]) {
      const { error } = await wire.call(method, { taskId, inputResponses: {} });
      expect(error).toEqual({ code: -32602, message: '"taskId" must be a string' });
    }
  });

  test.each([[undefined], [null], ['x'], [[]]])('tasks/update with the responses %j', async (inputResponses) => {
    const { server } = makeStage();
    const wire = await openDeclared(server);
    const taskId = await start(wire, 'ask');
    const { error } = await wire.call('tasks/update', { taskId, inputResponses });
    expect(error).toEqual({ code: -32602, message: '"inputResponses" must be an object' });
  });

  test.each(['tasks/result', 'tasks/list'])('%s, which is gone: -32601', async (method) => {
    const { server } = makeStage();
    const wire = await open(server, { capabilities: DECLARED });
    expect((await wire.call(method, { taskId: 'x' })).error?.code).toBe(-32601);
  });
});
