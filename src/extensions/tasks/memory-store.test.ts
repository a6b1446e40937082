import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryTaskStore } from './memory-store.ts';
import { keptUntil, NoRoomError, type StoredTask } from './store.ts';

const NOW = 1_800_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

function task(taskId: string, more: Partial<StoredTask> = {}): StoredTask {
  return {
    taskId,
    owner: 'alice',
    revision: '2026-07-28',
    version: 1,
    status: 'working',
    createdAt: Date.now(),
    lastUpdatedAt: Date.now(),
    ttlMs: 60_000,
    pollIntervalMs: 1000,
    questions: [],
    ...more,
  };
}

const saying = (statusMessage: string) => (before: StoredTask) => ({ ...before, statusMessage });

test('what was created is found, and what was not is not', async () => {
  const store = memoryTaskStore();
  await store.create(task('a'));
  expect(await store.get('a')).toEqual(task('a'));
  expect(await store.get('b')).toBeUndefined();
  expect(await store.change('b', saying('x'))).toBeUndefined();
  await expect(store.create(task('a'))).rejects.toThrow('There is a task with this id already');
});

test('a change is kept and told to those who watch the task; no change is not', async () => {
  const store = memoryTaskStore();
  await Promise.all([store.create(task('a')), store.create(task('b'))]);
  const heard: (string | undefined)[] = [];
  const stop = store.watch('a', ({ statusMessage }) => heard.push(statusMessage));
  expect(await store.change('a', saying('one'))).toMatchObject({ statusMessage: 'one' });
  await store.change('b', saying('other'));
  await store.change('a', (same) => same);
  stop();
  stop();
  await store.change('a', saying('two'));
  expect(heard).toEqual(['one']);
  expect(await store.get('a')).toMatchObject({ statusMessage: 'two' });
  expect(store.watchers).toBe(0);
});

describe('a task goes away', () => {
  const END = { status: 'completed', result: { content: [] } } as const;

  test('when its time is over, if it has ended long before', async () => {
    const store = memoryTaskStore();
    await store.create(task('a'));
    await store.change('a', (one) => ({ ...one, ...END }));
    vi.advanceTimersByTime(59_999);
    expect(await store.get('a')).toMatchObject(END);
    vi.advanceTimersByTime(1);
    expect([store.size, store.bytes, vi.getTimerCount()]).toEqual([0, 0, 0]);
    expect(await store.get('a')).toBeUndefined();
  });

  test('a little later, if clients could not have seen yet how it ended', async () => {
    const store = memoryTaskStore();
    await store.create(task('a'));
    vi.advanceTimersByTime(59_500);
    await store.change('a', (one) => ({ ...one, ...END, lastUpdatedAt: Date.now() }));
    vi.advanceTimersByTime(1_999);
    expect(await store.get('a')).toMatchObject(END);
    vi.advanceTimersByTime(1);
    expect(store.size).toBe(0);
  });

  test('also where no timer rings', async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    const store = memoryTaskStore({ tasks: 1 });
    await store.create(task('a'));
    await expect(store.create(task('b'))).rejects.toThrow(NoRoomError);
    vi.setSystemTime(keptUntil(task('a')));
    await store.create(task('b'));
    expect(store.size).toBe(1);
    vi.setSystemTime(keptUntil(task('b')));
    expect(await store.get('b')).toBeUndefined();
    expect(store.size).toBe(0);
  });

  test('never, if it is kept for ever', async () => {
    const store = memoryTaskStore();
    await store.create(task('a', { ttlMs: null }));
    expect(vi.getTimerCount()).toBe(0);
    vi.setSystemTime(NOW + 10 ** 12);
    expect(await store.get('a')).toBeDefined();
  });
});

test('thousands of tasks go away on one timer', async () => {
  const store = memoryTaskStore({ tasksPerOwner: 5000 });
  for (let number = 0; number < 5000; number++) {
    await store.create(task(`${number}`, { ttlMs: 1000 + (number % 50) }));
  }
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(10_000);
  expect([store.size, store.bytes, vi.getTimerCount()]).toEqual([0, 0, 0]);
});

describe('bounds', () => {
  test('of all tasks: there is room again when one has gone', async () => {
    const store = memoryTaskStore({ tasks: 2 });
    await store.create(task('a', { owner: '' }));
    await store.create(task('b', { ttlMs: 120_000 }));
    await expect(store.create(task('c'))).rejects.toThrow(NoRoomError);
    vi.advanceTimersByTime(62_000);
    await store.create(task('c'));
  });

  test('of one owner, but not of all that are nobody', async () => {
    const store = memoryTaskStore({ tasksPerOwner: 1 });
    await store.create(task('a'));
    await expect(store.create(task('b'))).rejects.toThrow(NoRoomError);
    await store.create(task('c', { owner: 'bob' }));
    await store.create(task('d', { owner: '' }));
    await store.create(task('e', { owner: '' }));
  });

  test('of bytes: what is too big is refused, and the task stays as it was; a full store can still end a task', async () => {
    const store = memoryTaskStore({ bytes: 10_000 });
    await store.create(task('a'));
    const big = { content: [{ type: 'text', text: 'x'.repeat(10_000) }] };
    await expect(store.change('a', (one) => ({ ...one, result: big }))).rejects.toThrow(NoRoomError);
    expect(await store.get('a')).toEqual(task('a'));
    for (let number = 1; number < 9; number++) await store.create(task(`${number}`));
    await expect(store.create(task('no'))).rejects.toThrow(NoRoomError);
    await store.change('a', (one) => ({ ...one, status: 'cancelled', statusMessage: 'The task was cancelled' }));
    expect(await store.get('a')).toMatchObject({ status: 'cancelled' });
  });

  test('of bytes of one owner, who then leaves room for others', async () => {
    const store = memoryTaskStore({ bytesPerOwner: 10_000 });
    const say = (taskId: string, length: number) => store.change(taskId, saying('x'.repeat(length)));
    for (const [taskId, owner] of ['alice', 'bob', '', ''].entries()) await store.create(task(`${taskId}`, { owner }));
    await say('0', 9000);
    await expect(say('0', 10_000)).rejects.toThrow(NoRoomError);
    await expect(store.create(task('more'))).rejects.toThrow(NoRoomError);
    await say('1', 9000);
    for (const taskId of ['2', '3']) await say(taskId, 50_000);
    await say('0', 10);
    await store.create(task('more'));
    await store.change('0', (one) => ({ ...one, status: 'completed', result: {} }));
    vi.advanceTimersByTime(62_000);
    expect([store.size, store.bytes]).toEqual([0, 0]);
    await store.create(task('again', { statusMessage: 'x'.repeat(9000) }));
  });

  test.each([{ tasks: 0 }, { bytes: Number.NaN }, { tasksPerOwner: '5' as never }])(
    'that make no sense: %j',
    (bounds) => {
      expect(() => memoryTaskStore(bounds)).toThrow(/^memoryTaskStore: "\w+" must be at least 1$/);
    },
  );

  test('what is not JSON is refused', async () => {
    const store = memoryTaskStore();
    await store.create(task('a'));
    await expect(store.change('a', (one) => ({ ...one, result: { big: 1n } }))).rejects.toThrow(TypeError);
    expect(await store.get('a')).toEqual(task('a'));
  });
});

describe('a list', () => {
  const query = { owner: 'alice', revision: '2025-11-25', limit: 2 };

  async function filled(): Promise<ReturnType<typeof memoryTaskStore>> {
    const store = memoryTaskStore();
    for (const taskId of ['c', 'a', 'd', 'b']) {
      await store.create(task(taskId, { revision: '2025-11-25' }));
      vi.advanceTimersByTime(taskId === 'c' ? 0 : 10);
    }
    await store.create(task('new', {}));
    await store.create(task('bob', { owner: 'bob', revision: '2025-11-25' }));
    return store;
  }

  test('has the tasks of one owner and one revision, oldest first, in pages', async () => {
    const store = await filled();
    const first = await store.list(query);
    expect(first?.tasks.map(({ taskId }) => taskId)).toEqual(['a', 'c']);
    const second = await store.list({ ...query, cursor: first?.nextCursor });
    expect(second?.tasks.map(({ taskId }) => taskId)).toEqual(['d', 'b']);
    expect(second?.nextCursor).toBeUndefined();
    expect(await store.list({ ...query, owner: 'carol' })).toEqual({ tasks: [] });
  });

  test('goes on behind a task that has gone meanwhile', async () => {
    const store = memoryTaskStore();
    await store.create(task('short', { revision: '2025-11-25', ttlMs: 10 }));
    await store.create(task('tall', { revision: '2025-11-25' }));
    const first = await store.list({ ...query, limit: 1 });
    vi.advanceTimersByTime(5_000);
    const rest = await store.list({ ...query, cursor: first?.nextCursor });
    expect(rest?.tasks.map(({ taskId }) => taskId)).toEqual(['tall']);
  });

  test.each(['', 'x', '.', 'a.', '~.a', 'a.b.c'])('knows no cursor "%s"', async (cursor) => {
    const store = await filled();
    expect(await store.list({ ...query, cursor })).toBeUndefined();
  });
});
