import { ConnectionError, RpcError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { asConnection, begin } from '../../../../test/tasks-client/begun.ts';
import { FakePeer, oldTask, pass, question, task } from '../../../../test/tasks-client/fake-peer.ts';
import { CANCEL, DONE, GET } from '../../../../test/tasks-client/open-call.ts';
import { callToolAsTask, resumeTask } from './call-as-task.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-10-01T10:00:00Z') });
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('a tool that is called as a task', () => {
  test('gives a handle as soon as there is a task', async () => {
    const peer = new FakePeer().on('tools/call', { resultType: 'task', ...task('working') });
    const handle = await callToolAsTask(asConnection(peer), 'build', { a: 1 }, { timeout: 1000, ttlMs: 5 });
    expect(peer.made).toEqual([
      { method: 'tools/call', params: { name: 'build', arguments: { a: 1 } }, options: { timeout: 1000 } },
    ]);
    expect(handle.taskId).toBe('t1');
    expect(handle.task).toEqual(task('working'));
  });

  test('is done if the server answered at once', async () => {
    const peer = new FakePeer().on('tools/call', DONE);
    const handle = await callToolAsTask(asConnection(peer), 'build');
    expect(peer.news()).toEqual(['tools/call {"name":"build"}']);
    expect([handle.taskId, handle.task]).toEqual([undefined, undefined]);
    expect(await handle.result()).toEqual(DONE);
    expect(await handle.refresh()).toBeUndefined();
    await handle.cancel();
    await expect(handle.watch(() => {})).rejects.toMatchObject({ code: 'refused' });
    expect(peer.news()).toEqual([]);
    const again = resumeTask(peer, JSON.parse(JSON.stringify(handle)));
    expect(await again.result()).toEqual(DONE);
    // It was read when it came.
    expect(peer.accepted).toEqual([]);
  });

  test('fails like any call', async () => {
    const peer = new FakePeer().on('tools/call', RpcError.invalidParams('No such tool'));
    await expect(callToolAsTask(asConnection(peer), 'build')).rejects.toMatchObject({ code: -32602 });
    peer.on('tools/call', { resultType: 'task', ...task('what') });
    await expect(callToolAsTask(asConnection(peer), 'build')).rejects.toMatchObject({ code: 'malformed' });
  });

  const capable = { tasks: { requests: { tools: { call: {} } } } };

  test('has to be asked for in 2025-11-25, with a time to live if there is a wish', async () => {
    const peer = new FakePeer('2025-11-25', capable).on('tools/call', { task: oldTask('working') });
    const handle = await callToolAsTask(asConnection(peer), 'build', {}, { ttlMs: 5000 });
    await callToolAsTask(asConnection(peer), 'build');
    expect(peer.news()).toEqual([
      'tools/call {"name":"build","arguments":{},"task":{"ttl":5000}}',
      'tools/call {"name":"build","task":{}}',
    ]);
    expect(handle.task).toEqual(task('working'));
  });

  test('is called as always in 2025-11-25 if the server has no tasks, or not for this tool', async () => {
    const without = new FakePeer('2025-11-25').on('tools/call', DONE);
    expect((await callToolAsTask(asConnection(without), 'build')).taskId).toBeUndefined();
    expect(without.news()).toEqual(['tools/call {"name":"build"}']);

    const refused = RpcError.methodNotFound('tools/call');
    const peer = new FakePeer('2025-11-25', capable).on('tools/call', refused, DONE);
    expect(await (await callToolAsTask(asConnection(peer), 'build')).result()).toEqual(DONE);
    expect(peer.news()).toEqual(['tools/call {"name":"build","task":{}}', 'tools/call {"name":"build"}']);

    peer.on('tools/call', RpcError.internal());
    await expect(callToolAsTask(asConnection(peer), 'build')).rejects.toMatchObject({ code: -32603 });
    expect(peer.news()).toHaveLength(1);
  });

  test('is answered at once in revisions that have no tasks', async () => {
    const peer = new FakePeer('2025-06-18').on('tools/call', DONE);
    const handle = await callToolAsTask(asConnection(peer), 'build');
    expect(await handle.result()).toEqual(DONE);
  });
});

describe('a handle', () => {
  test('asks the server how the task stands', async () => {
    const { peer, handle } = await begin();
    peer.on('tasks/get', task('working', { statusMessage: 'half' }));
    expect(await handle.refresh()).toEqual(task('working', { statusMessage: 'half' }));
    expect(handle.task).toHaveProperty('statusMessage', 'half');
    expect(peer.news()).toEqual([GET]);
    peer.on('tasks/get', new ConnectionError('timeout', 'No answer'));
    await expect(handle.refresh()).rejects.toMatchObject({ code: 'timeout' });
  });

  test('does not go back to what is older', async () => {
    const { peer, handle } = await begin();
    peer.on('tasks/get', task('input_required', { lastUpdatedAt: '2026-10-01T10:00:05Z', inputRequests: {} }));
    await handle.refresh();
    peer.on('tasks/get', task('working'));
    expect(await handle.refresh()).toHaveProperty('status', 'input_required');
    peer.on('tasks/get', task('cancelled'), task('working', { lastUpdatedAt: '2026-10-01T11:00:00Z' }));
    await handle.refresh();
    expect(handle.task?.status).toBe('input_required');
    peer.on('tasks/get', task('cancelled', { lastUpdatedAt: '2026-10-01T10:00:06Z' }));
    await handle.refresh();
    peer.on('tasks/get', task('working', { lastUpdatedAt: '2026-10-01T11:00:00Z' }));
    expect(await handle.refresh()).toHaveProperty('status', 'cancelled');
  });

  test('gives the result as often as it is wanted, and has it checked once', async () => {
    const { peer, handle } = await begin();
    peer.on('tasks/get', task('completed', { result: DONE }));
    const first = handle.result();
    await pass(5000);
    expect(await first).toEqual(DONE);
    expect(await handle.result()).toEqual(DONE);
    expect(peer.news()).toEqual([GET]);
    expect(peer.accepted).toEqual([['tools/call', { name: 'build' }, DONE]]);
    expect(handle.task).toEqual(task('completed', { result: DONE }));
  });

  test('rejects as the call would have, every time', async () => {
    const { peer, handle } = await begin();
    peer.on('tasks/get', task('failed', { error: { code: -32000, message: 'Broken' } }));
    const rejected = expect(handle.result()).rejects.toMatchObject({ code: -32000, message: 'Broken' });
    await pass(5000);
    await rejected;
    await expect(handle.result()).rejects.toMatchObject({ code: -32000, message: 'Broken' });
    expect(peer.news()).toEqual([GET]);
  });

  test('tells every change of status to whoever waits, and each once', async () => {
    const { peer, handle } = await begin();
    const half = task('working', { statusMessage: 'half' });
    peer.on('tasks/get', task('working'), half, half, task('completed', { result: DONE }));
    const told: unknown[] = [];
    const result = handle.result({ onStatus: ({ status, statusMessage }) => told.push([status, statusMessage]) });
    await pass(20_000);
    await result;
    expect(told).toEqual([
      ['working', 'half'],
      ['completed', undefined],
    ]);
  });

  test('that several wait for asks server and people once', async () => {
    const { peer, handle } = await begin();
    peer
      .on(
        'tasks/get',
        task('input_required', { inputRequests: { a: question('a') } }),
        task('completed', { result: DONE }),
      )
      .on('tasks/update', {});
    const results = [handle.result(), handle.result({ signal: new AbortController().signal })];
    await pass(5000);
    expect(peer.asked).toHaveLength(1);
    peer.asked[0]?.answer({ action: 'decline' });
    await pass(5000);
    expect(await Promise.all(results)).toEqual([DONE, DONE]);
    expect(peer.news()).toEqual([GET, 'tasks/update {"taskId":"t1","inputResponses":{"a":{"action":"decline"}}}', GET]);
  });

  test('whose listener throws ends the waiting of that one only', async () => {
    const { peer, handle } = await begin();
    peer.on('tasks/get', task('working', { statusMessage: 'half' }), task('completed', { result: DONE }));
    const bug = new Error('A bug in a listener');
    const broken = handle.result({
      onStatus: () => {
        throw bug;
      },
    });
    const fine = handle.result();
    const rejected = expect(broken).rejects.toBe(bug);
    await pass(10_000);
    await rejected;
    expect(await fine).toEqual(DONE);
  });

  test('that is not waited for any more leaves the task alone, and can be waited for again', async () => {
    const { peer, handle } = await begin();
    peer.on('tasks/get', task('input_required', { inputRequests: { a: question('a') } })).on('tasks/update', {});
    const abort = new AbortController();
    const first = handle.result({ signal: abort.signal });
    const other = handle.result({ signal: abort.signal });
    await pass(5000);
    const reason = new Error('Enough');
    abort.abort(reason);
    const expected = { code: 'aborted', message: 'tools/call "build" was aborted by the caller', cause: reason };
    await expect(first).rejects.toMatchObject(expected);
    await expect(other).rejects.toMatchObject(expected);
    expect(peer.asked[0]?.signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    expect(peer.news()).toEqual([GET]);
    await expect(handle.result({ signal: abort.signal })).rejects.toMatchObject({ code: 'aborted' });
    expect(peer.news()).toEqual([]);

    // It is not known as working, so it is looked at without delay; and the question was never answered.
    const again = handle.result();
    await pass();
    expect(peer.asked).toHaveLength(2);
    peer.on('tasks/get', task('completed', { result: DONE }));
    await pass(5000);
    expect(await again).toEqual(DONE);
  });

  test('whose question cannot be answered leaves the task alone', async () => {
    const { peer, handle } = await begin();
    peer.on('tasks/get', task('input_required', { inputRequests: { a: question('a') } }));
    const result = handle.result();
    await pass(5000);
    peer.asked[0]?.fail(new Error('No screen'));
    await expect(result).rejects.toThrow('No screen');
    expect(peer.news()).toEqual([GET]);
  });

  test('of a connection that is closed says so without delay', async () => {
    const { peer, handle } = await begin();
    const result = handle.result();
    const rejected = expect(result).rejects.toMatchObject({ code: 'closed' });
    await pass(100);
    peer.end();
    await pass();
    await rejected;
    expect(peer.news()).toEqual([GET]);
    expect(peer.listeners).toBe(0);
  });

  test('cancels, unless there is nothing to cancel', async () => {
    const { peer, handle } = await begin();
    peer.on('tasks/cancel', {}).on('tasks/get', task('cancelled'));
    await handle.cancel();
    expect(peer.news()).toEqual([CANCEL]);
    const rejected = expect(handle.result()).rejects.toMatchObject({ code: 'failed' });
    await pass(5000);
    await rejected;
    await handle.cancel();
    expect(peer.news()).toEqual([GET]);
    const other = await begin();
    other.peer.on('tasks/cancel', RpcError.invalidParams('Task not found'));
    await expect(other.handle.cancel()).rejects.toMatchObject({ code: -32602 });
  });
});
