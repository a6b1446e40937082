import { ConnectionError, RpcError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePeer, pass, question, task } from '../../../../test/tasks-client/fake-peer.ts';
import { CANCEL, call, created, DONE, GET } from '../../../../test/tasks-client/open-call.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-10-01T10:00:00Z') });
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('the questions of a task', () => {
  const asks = (...keys: string[]): object =>
    task('input_required', { inputRequests: Object.fromEntries(keys.map((key) => [key, question(key)])) });
  const update = (answers: object): string =>
    `tasks/update ${JSON.stringify({ taskId: 't1', inputResponses: answers })}`;
  const yes = { action: 'accept', content: {} };

  test('are asked once, however often they are seen, and each answer is sent as soon as it is there', async () => {
    const peer = new FakePeer()
      .on('tasks/get', asks('a', 'b'), asks('a', 'b'), asks('b'), task('completed', { result: DONE }))
      .on('tasks/update', {});
    const { outcome } = call(peer, created());
    await pass(5000);
    expect(peer.asked.map((one) => one.question)).toEqual([question('a'), question('b')]);
    await pass(5000);
    expect(peer.asked).toHaveLength(2);
    expect(peer.news()).toEqual([GET, GET]);
    peer.asked[0]?.answer(yes);
    await pass();
    expect(peer.news()).toEqual([update({ a: yes })]);
    expect(peer.asked[1]?.signal?.aborted).toBe(false);
    await pass(5000);
    expect(peer.news()).toEqual([GET]);
    peer.asked[1]?.answer({ action: 'decline' });
    await pass();
    expect(peer.news()).toEqual([update({ b: { action: 'decline' } })]);
    await pass(5000);
    expect(await outcome).toEqual(DONE);
    expect(peer.asked).toHaveLength(2);
  });

  test('that are answered while an answer is on its way are sent together after it', async () => {
    let acknowledge = (): void => {};
    const acknowledged = new Promise<object>((resolve) => {
      acknowledge = () => resolve({});
    });
    const peer = new FakePeer()
      .on('tasks/get', asks('a', 'b', 'c'), task('completed', { result: DONE }))
      .on('tasks/update', () => acknowledged);
    const { outcome } = call(peer, created());
    await pass(5000);
    peer.news();
    for (const asked of peer.asked) asked.answer(yes);
    await pass();
    expect(peer.news()).toEqual([update({ a: yes })]);
    acknowledge();
    await pass();
    expect(peer.news()).toEqual([update({ b: yes, c: yes })]);
    await pass(5000);
    expect(await outcome).toEqual(DONE);
  });

  test('that were answered are not asked again, even if the server still shows them', async () => {
    const peer = new FakePeer()
      .on('tasks/get', asks('a'), asks('a'), asks('a', '__proto__'), task('completed', { result: DONE }))
      .on('tasks/update', {});
    const { outcome } = call(peer, created());
    await pass(5000);
    peer.asked[0]?.answer(yes);
    await pass(10_000);
    expect(peer.asked.map((one) => one.question)).toEqual([question('a'), question('__proto__')]);
    await pass(5000);
    expect(await outcome).toEqual(DONE);
  });

  test('are taken back when the server goes on without an answer', async () => {
    const peer = new FakePeer().on('tasks/get', asks('a', 'b'), asks('b'), task('completed', { result: DONE }));
    const { outcome } = call(peer, created());
    await pass(5000);
    const [a, b] = peer.asked;
    await pass(5000);
    expect([a?.signal?.aborted, b?.signal?.aborted]).toEqual([true, false]);
    await pass(5000);
    expect(await outcome).toEqual(DONE);
    expect(b?.signal?.aborted).toBe(true);
    // What is said now is nobody's business any more.
    a?.answer(yes);
    b?.fail(new Error('Too late'));
    await pass(60_000);
    expect(peer.news()).toEqual([GET, GET, GET]);
  });

  test('are taken back when the caller gives up', async () => {
    const peer = new FakePeer().on('tasks/get', asks('a')).on('tasks/cancel', {});
    const { outcome, abort } = call(peer, created());
    await pass(5000);
    abort.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'aborted' });
    expect(peer.asked[0]?.signal?.aborted).toBe(true);
    peer.asked[0]?.answer(yes);
    await pass();
    expect(peer.news()).toEqual([GET, CANCEL]);
  });

  test('that cannot be answered end the call as they would without a task, and the task', async () => {
    const peer = new FakePeer().on('tasks/get', asks('a', 'b')).on('tasks/cancel', {});
    const { outcome } = call(peer, created());
    await pass(5000);
    const refusal = new ConnectionError('refused', 'elicitation/create: Method not found');
    peer.asked[0]?.fail(refusal);
    await expect(outcome).rejects.toMatchObject({
      code: 'refused',
      message: 'tools/call "build": elicitation/create: Method not found',
      cause: refusal,
    });
    expect(peer.asked[1]?.signal?.aborted).toBe(true);
    expect(peer.news()).toEqual([GET, CANCEL]);
  });

  test('whose handler breaks end the call with what it threw', async () => {
    const peer = new FakePeer().on('tasks/get', asks('a')).on('tasks/cancel', {});
    const { outcome } = call(peer, created());
    await pass(5000);
    const bug = new TypeError('A bug in a handler');
    peer.asked[0]?.fail(bug);
    await expect(outcome).rejects.toBe(bug);
  });

  test('an answer is sent again if the connection failed', async () => {
    const peer = new FakePeer()
      .on('tasks/get', asks('a'), asks('a'), task('completed', { result: DONE }))
      .on('tasks/update', new ConnectionError('closed', 'Reset'), {});
    const { outcome } = call(peer, created());
    await pass(5000);
    peer.asked[0]?.answer(yes);
    await pass();
    await pass(1000);
    expect(peer.news()).toEqual([GET, update({ a: yes }), update({ a: yes })]);
    await pass(9000);
    expect(await outcome).toEqual(DONE);
    expect(peer.asked).toHaveLength(1);
  });

  test('an answer the server refuses ends the call if the question is still open', async () => {
    const refusal = RpcError.invalidParams('Not what was asked for');
    const peer = new FakePeer().on('tasks/get', asks('a')).on('tasks/update', refusal).on('tasks/cancel', {});
    const { outcome } = call(peer, created());
    await pass(5000);
    peer.asked[0]?.answer(yes);
    await pass();
    const rejected = expect(outcome).rejects.toBe(refusal);
    await pass(5000);
    await rejected;
    expect(peer.news()).toEqual([GET, update({ a: yes }), GET, CANCEL]);
  });

  test('an answer that came too late for a task that ended does no harm', async () => {
    const peer = new FakePeer()
      .on('tasks/get', asks('a'), task('completed', { result: DONE }))
      .on('tasks/update', RpcError.invalidParams('The task is final'));
    const { outcome } = call(peer, created());
    await pass(5000);
    peer.asked[0]?.answer(yes);
    await pass(5000);
    expect(await outcome).toEqual(DONE);
  });

  test('are no more than a hundred at once', async () => {
    const keys = Array.from({ length: 101 }, (_, index) => `k${index}`);
    const peer = new FakePeer().on('tasks/get', asks(...keys)).on('tasks/cancel', {});
    const { outcome } = call(peer, created());
    const rejected = expect(outcome).rejects.toMatchObject({ code: 'malformed' });
    await pass(5000);
    await rejected;
    expect(peer.asked).toEqual([]);
  });

  test('are no more than a thousand over the life of a task', async () => {
    let round = 0;
    const next = (): object => {
      round++;
      return asks(...Array.from({ length: 100 }, (_, index) => `k${round}.${index}`));
    };
    const peer = new FakePeer().on('tasks/get', next).on('tasks/update', {}).on('tasks/cancel', {});
    const { outcome } = call(peer, created());
    const rejected = expect(outcome).rejects.toMatchObject({ code: 'failed' });
    for (let look = 0; look < 11; look++) {
      await pass(5000);
      for (const asked of peer.asked.splice(0)) asked.answer(yes);
    }
    await rejected;
    expect(round).toBe(11);
  });

  test.each([
    ['takes them back', {}, false],
    ['refuses the answers', RpcError.invalidParams('No'), true],
  ])('are as few if the server %s', async (_, reply, isAnswered) => {
    let round = 0;
    const next = (): object => {
      round++;
      return asks(...Array.from({ length: 100 }, (_, index) => `k${round}.${index}`));
    };
    const peer = new FakePeer().on('tasks/get', next).on('tasks/update', reply).on('tasks/cancel', {});
    const { outcome } = call(peer, created());
    const rejected = expect(outcome).rejects.toMatchObject({ code: 'failed' });
    for (let look = 0; look < 11; look++) {
      await pass(5000);
      if (isAnswered) for (const asked of peer.asked.splice(0)) asked.answer(yes);
    }
    await rejected;
    expect(round).toBe(11);
  });
});
