import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConnectionError } from './errors.ts';
import type { Id, Request } from './message.ts';
import { PendingRequests } from './pending-requests.ts';
import type { TimeoutOptions } from './timeout-options.ts';

const MINUTE = 60_000;

function outgoing(defaults?: TimeoutOptions) {
  const sent: Request[] = [];
  const cancelled: { id: Id; method: string; reason: string }[] = [];
  const requests = new PendingRequests(
    {
      send: (request) => {
        sent.push(request);
      },
      cancel: (id, method, reason) => {
        cancelled.push({ id, method, reason });
      },
    },
    defaults,
  );
  return { requests, sent, cancelled };
}

/** Records the outcome of a call. */
function outcomeOf(call: Promise<unknown>): { settled: unknown[] } {
  const outcome = { settled: [] as unknown[] };
  call.then(
    (value) => outcome.settled.push(value),
    (error: unknown) => outcome.settled.push(error),
  );
  return outcome;
}

function countedSignal() {
  const abort = new AbortController();
  let listeners = 0;
  const { signal } = abort;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  vi.spyOn(signal, 'addEventListener').mockImplementation((...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  });
  vi.spyOn(signal, 'removeEventListener').mockImplementation((...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  });
  return { abort, signal, listeners: () => listeners };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('a pending request', () => {
  test('has an id of its own, and params only if some are given', async () => {
    const { requests, sent } = outgoing();
    const calls = [
      requests.request('a', undefined),
      requests.request('b', { x: 1 }),
      requests.request('c', (id) => ({ token: id })),
      requests.request('d', () => undefined),
    ];
    expect(sent.map((one) => JSON.stringify(one))).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"a"}',
      '{"jsonrpc":"2.0","id":2,"method":"b","params":{"x":1}}',
      '{"jsonrpc":"2.0","id":3,"method":"c","params":{"token":3}}',
      '{"jsonrpc":"2.0","id":4,"method":"d"}',
    ]);
    for (const { id } of sent) expect(requests.settle({ jsonrpc: '2.0', id, result: { id } })).toBe(true);
    expect(await Promise.all(calls)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
    expect(requests.size).toBe(0);
  });

  test('is settled once, by the response with an id of the same value and type', async () => {
    const { requests } = outgoing();
    const call = requests.request('a', undefined);
    expect(requests.settle({ jsonrpc: '2.0', id: '1', result: {} })).toBe(false);
    expect(requests.settle({ jsonrpc: '2.0', id: 2, result: {} })).toBe(false);
    expect(requests.settle({ jsonrpc: '2.0', id: '__proto__', result: {} })).toBe(false);
    expect(requests.settle({ jsonrpc: '2.0', error: { code: 1, message: '' } })).toBe(false);
    expect(requests.settle({ jsonrpc: '2.0', id: null, error: { code: 1, message: '' } })).toBe(false);
    expect(requests.settle({ jsonrpc: '2.0', id: 1, result: { ok: true } })).toBe(true);
    expect(requests.settle({ jsonrpc: '2.0', id: 1, result: { ok: false } })).toBe(false);
    expect(await call).toEqual({ ok: true });
  });

  test('rejects with the error of an error response', async () => {
    const { requests } = outgoing();
    const call = requests.request('a', undefined);
    requests.settle({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no', data: { a: 1 } } });
    await expect(call).rejects.toMatchObject({ name: 'RpcError', code: -32602, message: 'no', data: { a: 1 } });
  });

  test('is removed if its params function throws', async () => {
    const { requests, sent } = outgoing();
    const { signal, listeners } = countedSignal();
    const call = requests.request(
      'a',
      () => {
        throw new Error('no params');
      },
      { signal },
    );
    await expect(call).rejects.toThrow('no params');
    const left = [requests.size, listeners(), vi.getTimerCount(), sent.length];
    vi.clearAllTimers();
    expect(left).toEqual([0, 0, 0, 0]);
  });
});

describe('the timeout of a request', () => {
  test('is five minutes without a response by default, and the peer gets a cancellation', async () => {
    const { requests, cancelled } = outgoing();
    const { settled } = outcomeOf(requests.request('tools/call', undefined));
    await vi.advanceTimersByTimeAsync(5 * MINUTE - 1);
    expect(settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toMatchObject([{ name: 'ConnectionError', code: 'timeout' }]);
    expect((settled[0] as Error).message).toContain('tools/call timed out after 300000 ms');
    expect(cancelled).toEqual([{ id: 1, method: 'tools/call', reason: 'Timed out' }]);
    expect(requests.size).toBe(0);
  });

  test('is that of the connection, or that of the call', async () => {
    const { requests } = outgoing({ timeout: 1000 });
    const { settled } = outcomeOf(requests.request('a', undefined));
    const other = outcomeOf(requests.request('b', undefined, { timeout: 2000 }));
    await vi.advanceTimersByTimeAsync(1000);
    expect([settled.length, other.settled.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(other.settled).toHaveLength(1);
  });

  test('restarts with each progress notification', async () => {
    const { requests } = outgoing({ timeout: 1000 });
    const { settled } = outcomeOf(requests.request('a', undefined));
    for (let progress = 1; progress <= 5; progress++) {
      await vi.advanceTimersByTimeAsync(900);
      requests.progress(1, progress);
    }
    expect(settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect((settled[0] as Error).message).toContain('last progress 5');
  });

  test('has a maximum that progress does not extend', async () => {
    const { requests, cancelled } = outgoing({ timeout: 1000, maxTimeout: 3000 });
    const { settled } = outcomeOf(requests.request('a', undefined));
    for (let at = 0; at < 3000; at += 500) {
      requests.progress(1, at);
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(settled).toMatchObject([{ code: 'timeout' }]);
    expect(cancelled).toHaveLength(1);
  });

  test('can be Infinity, and the maximum of thirty minutes still applies', async () => {
    const { requests } = outgoing();
    const { settled } = outcomeOf(requests.request('a', undefined, { timeout: Number.POSITIVE_INFINITY }));
    await vi.advanceTimersByTimeAsync(30 * MINUTE - 1);
    expect(settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toMatchObject([{ code: 'timeout' }]);
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 40])('of %d ms does not expire at once', async (forever) => {
    const { requests } = outgoing({ timeout: forever, maxTimeout: forever });
    const { settled } = outcomeOf(requests.request('a', undefined));
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    expect(settled).toEqual([]);
    requests.settle({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test('is paused between pause and resume; the maximum is not', async () => {
    const { requests } = outgoing({ timeout: 1000, maxTimeout: 10_000 });
    const first = outcomeOf(requests.request('a', undefined));
    requests.pause(1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(first.settled).toEqual([]);
    requests.resume(1);
    requests.resume(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(first.settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(first.settled).toHaveLength(1);

    const second = outcomeOf(requests.request('a', undefined));
    requests.pause(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(second.settled).toMatchObject([{ code: 'timeout' }]);
  });

  test('stays paused if progress arrives', async () => {
    const { requests } = outgoing({ timeout: 1000, maxTimeout: 10_000 });
    const { settled } = outcomeOf(requests.request('a', undefined));
    requests.pause(1);
    requests.progress(1, 1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(settled).toEqual([]);
    requests.settle({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test('is paused for present and new requests by pauseIdleTimers', async () => {
    const { requests, cancelled } = outgoing({ timeout: MINUTE });
    const early = outcomeOf(requests.request('early', undefined));
    await vi.advanceTimersByTimeAsync(MINUTE - 1000);
    const [first, second] = [requests.pauseIdleTimers(), requests.pauseIdleTimers()];
    const late = outcomeOf(requests.request('late', undefined));
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    first();
    first();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect([early.settled, late.settled]).toEqual([[], []]);
    second();
    await vi.advanceTimersByTimeAsync(999);
    expect(early.settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(early.settled).toMatchObject([{ code: 'timeout' }]);
    expect(late.settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(MINUTE - 1000);
    expect(late.settled).toMatchObject([{ code: 'timeout' }]);
    expect(cancelled.map(({ method }) => method)).toEqual(['early', 'late']);
  });

  test('that was paused by pauseIdleTimers continues only when the request is not paused by itself', async () => {
    const { requests } = outgoing({ timeout: MINUTE });
    const call = outcomeOf(requests.request('a', undefined));
    requests.pause(1);
    const go = requests.pauseIdleTimers();
    requests.resume(1);
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(call.settled).toEqual([]);
    const goAgain = requests.pausePending();
    go();
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(call.settled).toEqual([]);
    goAgain();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(call.settled).toMatchObject([{ code: 'timeout' }]);
  });

  test('that is paused prevents neither the maximum nor a response', async () => {
    const { requests } = outgoing();
    const [one, other] = [outcomeOf(requests.request('a', undefined)), outcomeOf(requests.request('b', undefined))];
    const go = requests.pauseIdleTimers();
    requests.settle({ jsonrpc: '2.0', id: 1, result: {} });
    await vi.advanceTimersByTimeAsync(30 * MINUTE);
    expect(one.settled).toEqual([{}]);
    expect(other.settled).toMatchObject([{ code: 'timeout' }]);
    go();
  });

  test('is not affected by the ids of unknown requests', () => {
    const { requests } = outgoing();
    requests.progress(1, 1);
    requests.pause('__proto__');
    requests.resume(7);
    expect(requests.fail(7, new Error('x'))).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('and a response at the same time settle the call once', async () => {
    const { requests, cancelled } = outgoing({ timeout: 1000 });
    const { settled } = outcomeOf(requests.request('a', undefined));
    await vi.advanceTimersByTimeAsync(999);
    requests.settle({ jsonrpc: '2.0', id: 1, result: { ok: true } });
    await vi.advanceTimersByTimeAsync(1000);
    expect(settled).toEqual([{ ok: true }]);
    expect(cancelled).toEqual([]);

    const late = outcomeOf(requests.request('b', undefined));
    await vi.advanceTimersByTimeAsync(1000);
    expect(requests.settle({ jsonrpc: '2.0', id: 2, result: {} })).toBe(false);
    expect(late.settled).toMatchObject([{ code: 'timeout' }]);
  });
});

describe('an abort signal', () => {
  test('that has aborted prevents the request from being sent', async () => {
    const { requests, sent, cancelled } = outgoing();
    const reason = new Error('enough');
    const call = requests.request('a', undefined, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toMatchObject({ name: 'ConnectionError', code: 'aborted', cause: reason });
    expect([sent, cancelled, requests.size]).toEqual([[], [], 0]);
  });

  test('rejects the call, and the peer gets one cancellation', async () => {
    const { requests, cancelled } = outgoing();
    const { abort, signal, listeners } = countedSignal();
    const { settled } = outcomeOf(requests.request('a', undefined, { signal }));
    expect(listeners()).toBe(1);
    abort.abort('enough');
    await vi.advanceTimersByTimeAsync(0);
    expect(settled).toMatchObject([{ code: 'aborted', cause: 'enough' }]);
    expect(cancelled).toEqual([{ id: 1, method: 'a', reason: 'The caller gave up' }]);
    expect(requests.settle({ jsonrpc: '2.0', id: 1, result: {} })).toBe(false);
    expect(requests.size).toBe(0);
  });

  test('has no listener left after a thousand calls', async () => {
    const { requests, sent } = outgoing();
    const { abort, signal, listeners } = countedSignal();
    for (let i = 0; i < 1000; i++) {
      const call = requests.request('a', undefined, { signal });
      requests.settle({ jsonrpc: '2.0', id: sent.at(-1)?.id ?? 0, result: {} });
      await call;
    }
    expect([listeners(), requests.size]).toEqual([0, 0]);
    abort.abort();
  });
});

describe('close', () => {
  test('rejects all calls, and all further ones', async () => {
    const { requests, cancelled, sent } = outgoing();
    const { signal, listeners } = countedSignal();
    const calls = [requests.request('a', undefined, { signal }), requests.request('b', undefined)];
    requests.close();
    requests.close(new ConnectionError('failed', 'another reason'));
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'closed' });
    await expect(requests.request('c', undefined)).rejects.toMatchObject({ code: 'closed' });
    expect([requests.size, listeners(), cancelled.length, sent.length]).toEqual([0, 0, 0, 2]);
  });

  test('rejects with the given error', async () => {
    const { requests } = outgoing();
    const call = requests.request('a', undefined);
    const reason = new ConnectionError('closed', 'exit code 1');
    requests.close(reason);
    await expect(call).rejects.toBe(reason);
    await expect(requests.request('b', undefined)).rejects.toBe(reason);
  });
});

describe('a message that cannot be sent', () => {
  test.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new ConnectionError('closed', 'gone');
      },
    ],
    ['rejects', () => Promise.reject(new ConnectionError('closed', 'gone'))],
  ])('fails its call if send %s', async (_, send) => {
    const cancel = vi.fn();
    const requests = new PendingRequests({ send, cancel });
    const { signal, listeners } = countedSignal();
    await expect(requests.request('a', undefined, { signal })).rejects.toMatchObject({ code: 'closed' });
    expect([requests.size, listeners(), cancel.mock.calls.length]).toEqual([0, 0, 0]);
  });

  test('fails its call with an Error, also if another value was thrown', async () => {
    const requests = new PendingRequests({
      send: () => {
        throw 'nothing of use';
      },
      cancel: vi.fn(),
    });
    await expect(requests.request('a', undefined)).rejects.toMatchObject({ code: 'failed' });
  });

  test('does not affect a call that has its response', async () => {
    let reject: (error: Error) => void = () => {};
    const requests = new PendingRequests({
      send: () =>
        new Promise((_, no) => {
          reject = no;
        }),
      cancel: vi.fn(),
    });
    const call = requests.request('a', undefined);
    requests.settle({ jsonrpc: '2.0', id: 1, result: { ok: true } });
    reject(new Error('broken pipe'));
    expect(await call).toEqual({ ok: true });
  });
});

test('a call is rejected also if its cancellation cannot be sent', async () => {
  const requests = new PendingRequests(
    {
      send: () => undefined,
      cancel: () => {
        throw new Error('broken pipe');
      },
    },
    { timeout: 1000 },
  );
  const { settled } = outcomeOf(requests.request('a', undefined));
  await expect(vi.advanceTimersByTimeAsync(1000)).resolves.toBeDefined();
  expect(settled).toMatchObject([{ code: 'timeout' }]);
});

test('one signal for many calls has one listener', () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error): number => warnings.push(warning.name);
  process.on('warning', onWarning);
  const abort = new AbortController();
  const outgoing = new PendingRequests({ send: () => {}, cancel: () => {} });
  const calls = Array.from({ length: 20 }, () => outgoing.request('m', {}, { signal: abort.signal }));
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
  abort.abort();
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
  return Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ code: 'aborted' })));
});
