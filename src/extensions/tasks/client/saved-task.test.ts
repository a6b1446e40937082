import { ConnectionError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { asConnection, begin } from '../../../../test/tasks-client/begun.ts';
import { FakePeer, oldTask, pass, question, task } from '../../../../test/tasks-client/fake-peer.ts';
import { DONE, GET } from '../../../../test/tasks-client/open-call.ts';
import { callToolAsTask, resumeTask } from './call-as-task.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-10-01T10:00:00Z') });
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('a handle that is kept', () => {
  test('has all that is needed to go on with it in another process', async () => {
    const { peer, handle } = await begin();
    const asks = (key: string): object => task('input_required', { inputRequests: { [key]: question(key) } });
    peer.on('tasks/get', asks('a')).on('tasks/update', {});
    const abort = new AbortController();
    const waiting = handle.result({ signal: abort.signal });
    await pass(5000);
    peer.asked[0]?.answer({ action: 'decline' });
    await pass();
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    const text = JSON.stringify(handle);
    expect(JSON.parse(text)).toEqual({ revision: '2026-07-28', tool: 'build', task: asks('a'), answered: ['a'] });

    const elsewhere = new FakePeer().on(
      'tasks/get',
      task('input_required', { inputRequests: { a: question('a'), b: question('b') } }),
      task('completed', { result: DONE }),
    );
    const resumed = resumeTask(elsewhere, JSON.parse(text));
    expect(elsewhere.news()).toEqual([]);
    expect(resumed.taskId).toBe('t1');
    const result = resumed.result();
    // Nobody knows how long ago it was seen.
    await pass();
    expect(elsewhere.news()).toEqual([GET]);
    expect(elsewhere.asked.map((one) => one.question)).toEqual([question('b')]);
    await pass(5000);
    expect(await result).toEqual(DONE);
    expect(elsewhere.accepted).toEqual([['tools/call', { name: 'build' }, DONE]]);

    // The server may have forgotten it by now; the handle has not.
    const kept = JSON.parse(JSON.stringify(resumed));
    expect(kept).toEqual({
      revision: '2026-07-28',
      tool: 'build',
      task: task('completed'),
      answered: ['a'],
      result: DONE,
    });
    expect(await resumeTask(new FakePeer(), kept).result()).toEqual(DONE);
  });

  test('of a task that was seen to be final needs no server', async () => {
    const { peer, handle } = await begin();
    peer.on('tasks/get', task('failed', { error: { code: 1, message: 'Broken' } }));
    await handle.refresh();
    const failed = resumeTask(new FakePeer(), JSON.parse(JSON.stringify(handle)));
    await expect(failed.result()).rejects.toMatchObject({ code: 1, message: 'Broken' });
    const other = await begin();
    other.peer.on('tasks/get', task('completed', { result: DONE }));
    await other.handle.refresh();
    expect(await resumeTask(new FakePeer(), JSON.parse(JSON.stringify(other.handle))).result()).toEqual(DONE);
  });

  test('in 2025-11-25 has its result too, once it is known', async () => {
    const capable = { tasks: { requests: { tools: { call: {} } } } };
    const peer = new FakePeer('2025-11-25', capable)
      .on('tools/call', { task: oldTask('working') })
      .on('tasks/get', oldTask('input_required'))
      .on('tasks/result', DONE);
    const handle = await callToolAsTask(asConnection(peer), 'build');
    const saved = JSON.parse(JSON.stringify(handle));
    expect(saved).toEqual({ revision: '2025-11-25', tool: 'build', task: task('working') });
    const result = resumeTask(peer, saved).result();
    await pass();
    expect(await result).toEqual(DONE);
    const own = handle.result();
    await pass(5000);
    expect(await own).toEqual(DONE);
    expect(handle.task?.status).toBe('completed');
    const kept = JSON.parse(JSON.stringify(handle));
    expect(await resumeTask(new FakePeer('2025-11-25'), kept).result()).toEqual(DONE);
  });

  const good = { revision: '2026-07-28', tool: 'build', task: task('working') };

  test.each<[string, unknown]>([
    ['A saved task must be an object: use JSON.parse first', JSON.stringify(good)],
    ['A saved task must be an object, as JSON.stringify wrote it', null],
    ['A saved task: "revision" must be a string', { ...good, revision: 1 }],
    ['A saved task: "revision" must be a protocol revision that has tasks', { ...good, revision: '2024-11-05' }],
    ['A saved task: "tool" must be a string', { ...good, tool: 5 }],
    ['A saved task: "answered" must be an array of strings', { ...good, answered: [5] }],
    ['A saved task: "result" must be an object', { ...good, result: [] }],
    ['A saved task must have a "task" or a "result"', { ...good, task: undefined }],
    ['A saved task: /task must be an object', { ...good, task: 5 }],
    [
      'A saved task: /task/taskId must be a string that is not empty',
      { ...good, task: task('working', { taskId: 1 }) },
    ],
  ])('is checked: %s', (message, saved) => {
    expect(() => resumeTask(new FakePeer(), saved)).toThrow(new TypeError(message));
  });

  test('is for the revision it was made in', () => {
    const old = { ...good, revision: '2025-11-25' };
    expect(() => resumeTask(new FakePeer(), old)).toThrow(
      new ConnectionError(
        'refused',
        "The task was made in revision 2025-11-25, this connection speaks 2026-07-28: connect with { revision: '2025-11-25' }",
      ),
    );
  });
});
