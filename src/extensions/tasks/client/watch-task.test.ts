import { ConnectionError, RpcError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { begin } from '../../../../test/tasks-client/begun.ts';
import { FakePeer, task } from '../../../../test/tasks-client/fake-peer.ts';
import { DONE, GET } from '../../../../test/tasks-client/open-call.ts';
import { resumeTask } from './call-as-task.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-10-01T10:00:00Z') });
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('a task that is watched', () => {
  const honoured = { taskIds: ['t1'] };

  test('is told of as it is first, and with every change, until it is final', async () => {
    const { peer, handle } = await begin();
    peer.on('subscriptions/listen', honoured).on('tasks/get', task('working'));
    const told: unknown[] = [];
    const subscription = await handle.watch(({ status }) => told.push(status));
    expect(peer.news()).toEqual(['subscriptions/listen {"notifications":{"taskIds":["t1"]}}', GET]);
    const [listened] = peer.listened;
    listened?.tell('notifications/tasks', { ...task('working'), _meta: {} });
    listened?.tell('notifications/tasks', task('working', { taskId: 't2', statusMessage: 'another' }));
    listened?.tell('notifications/other', task('cancelled'));
    listened?.tell('notifications/tasks', task('input_required', { inputRequests: {} }));
    expect(listened?.isClosed).toBe(false);
    listened?.tell('notifications/tasks', task('completed', { result: DONE }));
    expect(told).toEqual(['working', 'input_required', 'completed']);
    await subscription.closed;
    expect(handle.task?.status).toBe('completed');
    // Then the result is known, too.
    expect(await handle.result()).toEqual(DONE);
    expect(peer.news()).toEqual([]);
  });

  test('that was final before is told of once', async () => {
    const { peer, handle } = await begin();
    peer.on('subscriptions/listen', honoured).on('tasks/get', task('cancelled'));
    const told: unknown[] = [];
    const subscription = await handle.watch(({ status }) => told.push(status));
    await subscription.closed;
    expect(told).toEqual(['cancelled']);
  });

  test('is closed where the server does not tell of it, or cannot be asked', async () => {
    const { peer, handle } = await begin();
    peer.on('subscriptions/listen', {}).on('tasks/get', RpcError.internal());
    await expect(handle.watch(() => {})).rejects.toMatchObject({ code: 'failed' });
    peer.on('subscriptions/listen', honoured);
    await expect(handle.watch(() => {})).rejects.toMatchObject({ code: -32603 });
    expect(peer.listened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  test('malformed news is refused', async () => {
    const { peer, handle } = await begin();
    peer.on('subscriptions/listen', honoured).on('tasks/get', task('working'));
    await handle.watch(() => {});
    expect(() => peer.listened[0]?.tell('notifications/tasks', task('x'))).toThrow(/\/params\/status must be one of/);
  });

  test('cannot be, in 2025-11-25', async () => {
    const peer = new FakePeer('2025-11-25');
    const handle = resumeTask(peer, { revision: '2025-11-25', tool: 'build', task: task('working') });
    await expect(handle.watch(() => {})).rejects.toEqual(
      new ConnectionError(
        'refused',
        'tools/call "build": revision 2025-11-25 has no subscription to tasks; wait for result(), or ask with refresh()',
      ),
    );
  });
});
