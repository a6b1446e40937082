import { ConnectionError, RpcError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePeer, oldTask, pass } from '../../../../test/tasks-client/fake-peer.ts';
import { CANCEL, call, DONE, GET } from '../../../../test/tasks-client/open-call.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-10-01T10:00:00Z') });
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('a call that became a task in 2025-11-25', () => {
  const RESULT = 'tasks/result {"taskId":"t1"}';
  const old = (): FakePeer => new FakePeer('2025-11-25');
  const createdOld = { task: oldTask('working') };

  test.each(['completed', 'failed'])('has its result by tasks/result once it is %s', async (status) => {
    const peer = old()
      .on('tasks/get', oldTask('working', { pollInterval: 100 }), oldTask(status))
      .on('tasks/result', DONE);
    const { outcome } = call(peer, createdOld);
    await pass(4999);
    expect(peer.news()).toEqual([]);
    await pass(1);
    expect(peer.news()).toEqual([GET]);
    await pass(100);
    expect(await outcome).toEqual(DONE);
    expect(peer.news()).toEqual([GET, RESULT]);
  });

  test('rejects with the error that tasks/result is answered with', async () => {
    const error = RpcError.internal('Broken');
    const peer = old().on('tasks/get', oldTask('failed')).on('tasks/result', error);
    const { outcome } = call(peer, createdOld);
    const rejected = expect(outcome).rejects.toBe(error);
    await pass(5000);
    await rejected;
    expect(peer.news()).toEqual([GET, RESULT]);
  });

  test('waits with tasks/result while the server asks, without a limit, and goes on looking', async () => {
    let finish = (_result: object): void => {};
    const waits = new Promise<object>((resolve) => {
      finish = resolve;
    });
    const peer = old()
      .on('tasks/get', oldTask('input_required'), oldTask('input_required'), oldTask('working'))
      .on('tasks/result', () => waits);
    const { outcome } = call(peer, createdOld);
    await pass(15_000);
    expect(peer.made.find(({ method }) => method === 'tasks/result')?.options).toMatchObject({
      timeout: Number.POSITIVE_INFINITY,
      maxTimeout: Number.POSITIVE_INFINITY,
      idempotent: true,
    });
    expect(peer.news()).toEqual([GET, RESULT, GET, GET]);
    finish(DONE);
    expect(await outcome).toEqual(DONE);
  });

  test('waits once more if that request was lost while the server still asks', async () => {
    const peer = old()
      .on('tasks/get', oldTask('input_required'), oldTask('input_required'), oldTask('completed'))
      .on('tasks/result', new ConnectionError('closed', 'Reset'), 'nothing', DONE);
    const { outcome } = call(peer, createdOld);
    await pass(15_000);
    expect(await outcome).toEqual(DONE);
    // The second one hangs, and is given up with the end of the call.
    expect(
      peer.made.filter(({ method }) => method === 'tasks/result').map(({ options }) => options.signal?.aborted),
    ).toEqual([true, true, true]);
    expect(peer.news()).toEqual([GET, RESULT, GET, RESULT, GET, RESULT]);
  });

  test('is cancelled by its caller, or says that it was', async () => {
    const peer = old()
      .on('tasks/get', oldTask('cancelled', { statusMessage: 'By request' }))
      .on('tasks/cancel', {});
    const first = call(peer, createdOld);
    const rejected = expect(first.outcome).rejects.toMatchObject({ code: 'failed', message: /By request/ });
    await pass(5000);
    await rejected;
    const second = call(peer, createdOld);
    second.abort.abort();
    await expect(second.outcome).rejects.toMatchObject({ code: 'aborted' });
    expect(peer.news()).toEqual([GET, CANCEL]);
  });

  test('that is malformed is refused in the words of that revision', async () => {
    const peer = old()
      .on('tasks/get', oldTask('working', { pollInterval: 'x' }))
      .on('tasks/cancel', {});
    const { outcome } = call(peer, createdOld);
    const rejected = expect(outcome).rejects.toMatchObject({ message: /\/result\/pollInterval must be/ });
    await pass(5000);
    await rejected;
    await expect(call(old(), { task: oldTask('x') }).outcome).rejects.toMatchObject({
      message: /\/result\/task\/status must be one of/,
    });
  });
});
