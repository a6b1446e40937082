import { ConnectionError, RpcError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePeer, pass, task } from '../../../../test/tasks-client/fake-peer.ts';
import { CANCEL, call, created, DONE, GET } from '../../../../test/tasks-client/open-call.ts';
import { askForTask, type TasksClientOptions } from './client-side.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-10-01T10:00:00Z') });
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('a call that became a task', () => {
  test('is looked at in the interval the server names, which may change, until there is a result', async () => {
    const peer = new FakePeer().on(
      'tasks/get',
      task('working', { pollIntervalMs: 100 }),
      task('working', { pollIntervalMs: 30_000 }),
      task('completed', { result: DONE }),
    );
    const { outcome } = call(peer, created());
    await pass(4999);
    expect(peer.news()).toEqual([]);
    await pass(1);
    expect(peer.news()).toEqual([GET]);
    await pass(99);
    expect(peer.news()).toEqual([]);
    await pass(1);
    expect(peer.news()).toEqual([GET]);
    await pass(29_999);
    expect(peer.news()).toEqual([]);
    await pass(1);
    expect(peer.news()).toEqual([GET]);
    expect(await outcome).toEqual(DONE);
  });

  test('is looked at by a request that may be repeated, with the headers and the trace of the call', async () => {
    const peer = new FakePeer().on('tasks/get', task('completed', { result: DONE }));
    const options = { headers: { a: 'b' }, meta: { traceparent: 't' }, timeout: 1000, maxTimeout: 7 };
    const { outcome } = call(peer, created(), options);
    await pass(5000);
    await outcome;
    expect(peer.made[0]?.options).toMatchObject({
      headers: { a: 'b' },
      meta: { traceparent: 't' },
      timeout: 1000,
      idempotent: true,
    });
    expect(peer.made[0]?.options).not.toHaveProperty('maxTimeout');
  });

  test.each([
    [0, 50],
    [3_600_000, 600_000],
  ])('an interval of %d ms is made one of %d ms', async (pollIntervalMs, expected) => {
    const peer = new FakePeer().on('tasks/get', task('completed', { result: DONE }));
    const { outcome } = call(peer, created({ pollIntervalMs }));
    await pass(expected - 1);
    expect(peer.news()).toEqual([]);
    await pass(1);
    expect(await outcome).toEqual(DONE);
  });

  test('without a word of the server it is looked at each second, and ever less often the longer it takes', async () => {
    const { pollIntervalMs, ...silent } = task('working') as { pollIntervalMs: number };
    const peer = new FakePeer().on('tasks/get', silent);
    const { abort, settled } = call(peer, { resultType: 'task', ...silent });
    await pass(10_000);
    expect(peer.news()).toHaveLength(10);
    await pass(590_000);
    expect(peer.news().length).toBeLessThan(110);
    await pass(60_000);
    expect(peer.news()).toHaveLength(2);
    peer.on('tasks/cancel', {});
    abort.abort();
    await pass();
    expect(settled).toHaveBeenCalledOnce();
  });

  test('that is final from the beginning is looked at without delay', async () => {
    const peer = new FakePeer().on('tasks/get', task('completed', { result: DONE }));
    const { outcome } = call(peer, { resultType: 'task', ...task('completed') });
    await pass();
    expect(await outcome).toEqual(DONE);
  });

  test('that failed rejects with the error the call would have had', async () => {
    const error = { code: -32603, message: 'API rate limit exceeded', data: { x: 1 } };
    const peer = new FakePeer().on('tasks/get', task('failed', { error }));
    const { outcome } = call(peer, created());
    const rejected = expect(outcome).rejects.toMatchObject({ name: 'RpcError', ...error });
    await pass(5000);
    await rejected;
    expect(peer.news()).toEqual([GET]);
  });

  test('that was cancelled at the server says so, and why', async () => {
    const peer = new FakePeer().on('tasks/get', task('cancelled', { statusMessage: 'Disk full' }));
    const { outcome } = call(peer, created());
    const rejected = expect(outcome).rejects.toEqual(
      new ConnectionError('failed', 'tools/call "build": the task was cancelled before there was a result: Disk full'),
    );
    await pass(5000);
    await rejected;
    expect(peer.news()).toEqual([GET]);
  });

  test.each([
    [60_000, 'tools/call "build": the server does not know the task any more: Task not found'],
    [
      4000,
      'tools/call "build": the server does not know the task any more (it was to be kept for 4000 ms): Task not found',
    ],
  ])('that the server forgot says so: ttlMs %d', async (ttlMs, message) => {
    const peer = new FakePeer().on('tasks/get', RpcError.invalidParams('Task not found')).on('tasks/cancel', {});
    const { outcome } = call(peer, created({ ttlMs }));
    const rejected = expect(outcome).rejects.toMatchObject({ name: 'RpcError', code: -32602, message });
    await pass(5000);
    await rejected;
  });

  test('any other error of the server ends it, and the task is cancelled', async () => {
    const peer = new FakePeer().on('tasks/get', RpcError.internal('Broken')).on('tasks/cancel', {});
    const { outcome } = call(peer, created());
    const rejected = expect(outcome).rejects.toMatchObject({ code: -32603, message: 'Broken' });
    await pass(5000);
    await rejected;
    expect(peer.news()).toEqual([GET, CANCEL]);
  });

  test('whoever installed the extension hears of the task and of every look at it', async () => {
    const peer = new FakePeer().on(
      'tasks/get',
      task('working', { statusMessage: 'half' }),
      task('completed', { result: DONE }),
    );
    const heard: unknown[] = [];
    const onTask: TasksClientOptions['onTask'] = ({ taskId, status, statusMessage }, { params }) =>
      heard.push([taskId, status, statusMessage, params]);
    const { outcome } = call(peer, created(), {}, { onTask });
    await pass(10_000);
    await outcome;
    const params = { name: 'build' };
    expect(heard).toEqual([
      ['t1', 'working', undefined, params],
      ['t1', 'working', 'half', params],
      ['t1', 'completed', undefined, params],
    ]);
  });
});

describe('a task that breaks the rules', () => {
  test.each([
    [{ status: 'done' }, '/result/status must be one of working, input_required, completed, failed, cancelled'],
    [{ taskId: '' }, '/result/taskId must be a string that is not empty'],
    [{ taskId: 't2' }, '/result/taskId must be the id that was asked for'],
    [{ createdAt: 5 }, '/result/createdAt must be a string'],
    [{ lastUpdatedAt: undefined }, '/result/lastUpdatedAt must be a string'],
    [{ statusMessage: {} }, '/result/statusMessage must be a string'],
    [{ ttlMs: '60' }, '/result/ttlMs must be a number of milliseconds or null'],
    [{ pollIntervalMs: -1 }, '/result/pollIntervalMs must be a number of milliseconds'],
    [{ status: 'completed' }, '/result/result must be an object'],
    [{ status: 'failed' }, '/result/error must be an object'],
    [{ status: 'failed', error: { code: 'x' } }, '/result/error/code must be an integer'],
    [{ status: 'failed', error: { code: 1 } }, '/result/error/message must be a string'],
    [{ status: 'input_required' }, '/result/inputRequests must be an object'],
    [{ status: 'input_required', inputRequests: { x: [] } }, '/result/inputRequests/* must be an object'],
    [{ status: 'input_required', inputRequests: { x: {} } }, '/result/inputRequests/*/method must be a string'],
    [
      { status: 'input_required', inputRequests: { x: { method: 'm', params: 1 } } },
      '/result/inputRequests/*/params must be an object',
    ],
  ])('%j', async (more, text) => {
    const peer = new FakePeer().on('tasks/get', task('working', more)).on('tasks/cancel', {});
    const { outcome } = call(peer, created());
    const message = `Malformed task of tools/call "build": ${text}`;
    const rejected = expect(outcome).rejects.toEqual(new ConnectionError('malformed', message));
    await pass(5000);
    await rejected;
    expect(peer.news()).toEqual([GET, CANCEL]);
  });

  test('is not even begun with if the answer that makes it is malformed', async () => {
    const { outcome } = call(new FakePeer(), { resultType: 'task', taskId: 5 });
    await expect(outcome).rejects.toMatchObject({ code: 'malformed' });
  });

  test('a time to live that is left out means for ever', async () => {
    const { ttlMs, ...rest } = task('working') as { ttlMs: unknown };
    const peer = new FakePeer().on('tasks/get', task('completed', { result: DONE }));
    const onTask = vi.fn();
    const { outcome } = call(peer, { resultType: 'task', ...rest }, {}, { onTask });
    await pass(5000);
    expect(await outcome).toEqual(DONE);
    expect(onTask.mock.calls[0]?.[0]).toHaveProperty('ttlMs', null);
  });
});

describe('a connection that fails', () => {
  test('is tried again with growing pauses, and what it says then counts', async () => {
    const lost = new ConnectionError('unreachable', 'No route');
    const busy = new ConnectionError('http-error', 'Busy', { status: 503, retryAfterMs: 20_000 });
    const peer = new FakePeer().on('tasks/get', lost, lost, busy, task('completed', { result: DONE }));
    const { outcome } = call(peer, created({ pollIntervalMs: 100 }));
    const at: number[] = [];
    const began = Date.now();
    const request = peer.request.bind(peer);
    peer.request = (...args) => {
      at.push(Date.now() - began);
      return request(...args);
    };
    await pass(60_000);
    expect(await outcome).toEqual(DONE);
    expect(at).toEqual([100, 1100, 3100, 23_100]);
  });

  test('eight times in a row is given up, and the task is cancelled if that can still be said', async () => {
    const lost = new ConnectionError('timeout', 'No answer');
    const peer = new FakePeer().on('tasks/get', lost).on('tasks/cancel', lost);
    const { outcome } = call(peer, created());
    const rejected = expect(outcome).rejects.toBe(lost);
    await pass(5000 + 91_000);
    await rejected;
    expect(peer.news()).toEqual([...Array(8).fill(GET), CANCEL]);
  });

  test('in between starts the count anew', async () => {
    const lost = new ConnectionError('closed', 'Reset');
    const working = task('working', { pollIntervalMs: 50 });
    const lots = Array(7).fill(lost);
    const peer = new FakePeer().on('tasks/get', ...lots, working, ...lots, task('completed', { result: DONE }));
    const { outcome } = call(peer, created());
    await pass(300_000);
    expect(await outcome).toEqual(DONE);
  });

  test.each([
    new ConnectionError('http-error', 'Forbidden', { status: 403 }),
    new ConnectionError('refused', 'Not allowed'),
    new ConnectionError('malformed', 'No message'),
    new TypeError('A bug'),
  ])('for a reason that stays is not tried again: %s', async (error) => {
    const peer = new FakePeer().on('tasks/get', error).on('tasks/cancel', {});
    const { outcome } = call(peer, created());
    const rejected = expect(outcome).rejects.toBe(error);
    await pass(5000);
    await rejected;
    expect(peer.news()).toEqual([GET, CANCEL]);
  });
});

describe('a caller that gives up', () => {
  test('has the task cancelled at once, and nothing else is sent', async () => {
    const peer = new FakePeer().on('tasks/get', 'nothing').on('tasks/cancel', {});
    const { outcome, abort } = call(peer, created());
    await pass(5000);
    expect(peer.news()).toEqual([GET]);
    const reason = new Error('Enough');
    abort.abort(reason);
    expect(peer.news()).toEqual([CANCEL]);
    await expect(outcome).rejects.toMatchObject({
      code: 'aborted',
      message: 'tools/call "build" was aborted by the caller',
      cause: reason,
    });
    await pass(60_000);
    expect(peer.news()).toEqual([]);
  });

  test('has it cancelled also if that was when the task was made', async () => {
    const peer = new FakePeer().on('tasks/cancel', {});
    const abort = new AbortController();
    abort.abort();
    const { outcome } = call(peer, created(), {}, {}, abort);
    await expect(outcome).rejects.toMatchObject({ code: 'aborted' });
    await pass(60_000);
    expect(peer.news()).toEqual([CANCEL]);
  });

  test('is not told what becomes of that', async () => {
    const peer = new FakePeer().on('tasks/cancel', new ConnectionError('timeout', 'Too late'));
    const { outcome, abort } = call(peer, created());
    abort.abort(new ConnectionError('closed', 'The connection was closed'));
    await expect(outcome).rejects.toMatchObject({ code: 'closed' });
  });

  test('before the task was looked at has never looked at it', async () => {
    const peer = new FakePeer().on('tasks/cancel', {});
    const { outcome, abort } = call(peer, created());
    abort.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'aborted' });
    expect(peer.news()).toEqual([CANCEL]);
  });
});

describe('a tool that is only called as a task', () => {
  const capable = { tasks: { requests: { tools: { call: {} } } } };
  const refused = new RpcError(-32601, 'Tool build requires task augmentation');
  const params = { name: 'build', arguments: { a: 1 } };
  const ask = (peer: FakePeer, more: object = {}, error: RpcError = refused): unknown =>
    askForTask(error, { method: 'tools/call', params: { ...params, ...more } }, peer);

  test('is called as one in 2025-11-25 when it refused to be called without', () => {
    expect(ask(new FakePeer('2025-11-25', capable))).toEqual({ ...params, task: {} });
  });

  test('is not, if that was not it', () => {
    expect(ask(new FakePeer('2025-11-25', capable), { task: {} })).toBeUndefined();
    expect(ask(new FakePeer('2025-11-25', { tasks: {} }))).toBeUndefined();
    expect(ask(new FakePeer('2025-06-18', capable))).toBeUndefined();
    expect(ask(new FakePeer('2026-07-28', capable))).toBeUndefined();
    expect(ask(new FakePeer('2025-11-25', capable), {}, RpcError.invalidParams('No task'))).toBeUndefined();
    // A handler can say so, too, and must not do its work twice.
    expect(ask(new FakePeer('2025-11-25', capable), {}, RpcError.methodNotFound('x/y'))).toBeUndefined();
  });
});
