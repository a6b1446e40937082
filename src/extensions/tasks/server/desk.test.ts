import { afterEach, describe, expect, test, vi } from 'vitest';
import type { InputRequest } from '../../../entries/mcpp.ts';
import { type MemoryTaskStore, memoryTaskStore } from '../memory-store.ts';
import { NoRoomError, type StoredTask, type TaskStore } from '../store.ts';
import { TaskDesk } from './desk.ts';
import { officeOf, type TasksServerOptions } from './office.ts';
import { answered, cancelled } from './state.ts';

const FORM = { method: 'elicitation/create', params: { message: 'Name?' } } as unknown as InputRequest;
const YES = { answer: { action: 'accept', content: { name: 'x' } } };

afterEach(() => {
  vi.useRealTimers();
});

interface Stage {
  readonly store: MemoryTaskStore;
  readonly desk: TaskDesk;
  /** Everything the store told, in order. */
  readonly states: readonly StoredTask[];
  /** What was reported. */
  readonly errors: readonly unknown[];
  now(): Promise<StoredTask | undefined>;
}

async function stage(options: TasksServerOptions = {}, change?: TaskStore['change']): Promise<Stage> {
  const store = memoryTaskStore({ bytes: 100_000 });
  const errors: unknown[] = [];
  const used = change ? { ...methodsOf(store), change } : store;
  const office = officeOf({ store: used, onError: (error) => errors.push(error), ...options });
  const { ttlMs, pollIntervalMs } = office;
  const [createdAt, lastUpdatedAt] = [Date.now(), Date.now()];
  const task = {
    taskId: 'a',
    owner: '',
    revision: '2026-07-28',
    version: 1,
    status: 'working',
    questions: [],
  } as const;
  await store.create({ ...task, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs });
  const states: StoredTask[] = [];
  store.watch('a', (state) => states.push(state));
  return {
    store,
    desk: new TaskDesk(office, { ...task, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }),
    states,
    errors,
    now: () => store.get('a'),
  };
}

function methodsOf(store: TaskStore): TaskStore {
  return {
    create: (task) => store.create(task),
    get: (taskId) => store.get(taskId),
    change: (taskId, step) => store.change(taskId, step),
    list: (query) => store.list(query),
    watch: (taskId, listener) => store.watch(taskId, listener),
  };
}

describe('questions', () => {
  test('stand in the store under keys of their own, and are answered from there', async () => {
    const { store, desk, now } = await stage();
    const both = Promise.all([desk.ask(FORM), desk.ask({ method: 'roots/list' })]);
    expect(await now()).toMatchObject({
      status: 'input_required',
      questions: [
        { key: 'elicitation-1', request: FORM },
        { key: 'roots-2', request: { method: 'roots/list' } },
      ],
    });
    // As a node does that runs nothing itself.
    await store.change('a', (task) => answered(Date.now(), task, new Map([['roots-2', { answer: { roots: [] } }]])));
    await store.change('a', (task) => answered(Date.now(), task, new Map([['elicitation-1', YES]])));
    expect(await both).toEqual([YES.answer, { roots: [] }]);
    expect(await now()).toMatchObject({ status: 'working' });
  });

  test('never have a key that another had, and do not pile up', async () => {
    const { store, desk, now } = await stage();
    const keys: (string | undefined)[] = [];
    for (let number = 0; number < 50; number++) {
      const asking = desk.ask(FORM);
      const key = (await now())?.questions.at(-1)?.key ?? '';
      keys.push(key);
      await store.change('a', (task) => answered(Date.now(), task, new Map([[key, YES]])));
      await asking;
    }
    expect(new Set(keys).size).toBe(50);
    expect((await now())?.questions).toHaveLength(1);
  });

  test('that the client answers with an error are refused with it', async () => {
    const { store, desk } = await stage();
    const asking = desk.ask(FORM);
    const error = { code: -32603, message: 'The client answered elicitation/create with error -1: no' };
    await store.change('a', (task) => answered(Date.now(), task, new Map([['elicitation-1', { error }]])));
    await expect(asking).rejects.toMatchObject(error);
  });

  test('that the store does not take fail, and nothing else does', async () => {
    const { desk, errors } = await stage({}, () => Promise.reject(new Error('The store is away')));
    await expect(desk.ask(FORM)).rejects.toThrow('The store is away');
    expect(desk.signal.aborted).toBe(false);
    expect(errors).toEqual([]);
  });

  test('end with the task, and cannot be put afterwards', async () => {
    const { desk } = await stage();
    const asking = desk.ask(FORM);
    await Promise.all([desk.end({ result: { content: [] } }), expect(asking).rejects.toThrow('The task is over')]);
    await expect(desk.ask(FORM)).rejects.toThrow('The task is over');
  });
});

describe('a cancellation', () => {
  test('reaches the handler wherever it was made: its signal, and its open questions', async () => {
    const { store, desk } = await stage();
    const asking = desk.ask(FORM);
    await Promise.all([
      store.change('a', (task) => cancelled(Date.now(), task)),
      expect(asking).rejects.toThrow('The task was cancelled'),
    ]);
    expect(desk.signal.aborted).toBe(true);
    await expect(desk.ask(FORM)).rejects.toThrow('The task was cancelled');
  });

  test('is final: what the handler says and gives afterwards is dropped', async () => {
    const { store, desk, states } = await stage();
    await store.change('a', (task) => cancelled(Date.now(), task));
    desk.progress(1, 2);
    await desk.end({ result: { content: [] } });
    expect(states.map(({ status }) => status)).toEqual(['cancelled']);
    expect(store.watchers).toBe(1);
  });

  test('that comes while the result is written does not get between', async () => {
    const { store, desk, states } = await stage();
    await Promise.all([desk.end({ result: {} }), store.change('a', (task) => cancelled(Date.now(), task))]);
    expect(states.map(({ status }) => status)).toEqual(['completed']);
    expect(desk.signal.aborted).toBe(false);
  });
});

describe('progress', () => {
  test('is a message, or how much of how much', async () => {
    const { desk, states } = await stage();
    desk.progress(1);
    await vi.waitFor(() => expect(states).toHaveLength(1));
    desk.progress(1, 2);
    await vi.waitFor(() => expect(states).toHaveLength(2));
    desk.progress(2, 2, 'Nearly there');
    await vi.waitFor(() => expect(states).toHaveLength(3));
    expect(states.map(({ statusMessage }) => statusMessage)).toEqual(['1', '1/2', 'Nearly there']);
  });

  test('in a burst is written once and once more, the last of it', async () => {
    const { desk, states, now } = await stage();
    for (let number = 1; number <= 10_000; number++) desk.progress(number, 10_000);
    await vi.waitFor(async () => expect(await now()).toMatchObject({ statusMessage: '10000/10000' }));
    expect(states.length).toBe(2);
  });

  test('that the store does not take is reported, and harms nothing', async () => {
    const { desk, errors } = await stage({}, () => Promise.reject(new Error('The store is away')));
    desk.progress(1);
    await vi.waitFor(() => expect(errors).toEqual([new Error('The store is away')]));
    expect(desk.signal.aborted).toBe(false);
  });

  test('reports go to console.error if nobody else wants them; whoever wants them may fail', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    officeOf().report(new Error('x\u001b[2J\u202e'));
    expect(print.mock.calls).toEqual([
      [expect.stringMatching(/^mcpp\/extensions\/tasks: Error: x\\u\{1b\}\[2J\\u\{202e\}\n/)],
    ]);
    print.mockRestore();
    const failing = officeOf({
      onError: () => {
        throw new Error('y');
      },
    });
    expect(() => failing.report('x')).not.toThrow();
  });
});

describe('the end', () => {
  test('is a copy of what the handler gave', async () => {
    const { desk, now } = await stage();
    const content = [{ type: 'text', text: 'done' }];
    await desk.end({ result: { content } });
    content.length = 0;
    expect(await now()).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
    expect(desk.signal.aborted).toBe(false);
  });

  test('leaves nothing behind', async () => {
    vi.useFakeTimers();
    const { store, desk } = await stage({ ttlMs: 1000 });
    await desk.end({ error: { code: -32000, message: 'It broke' } });
    // One for the record that is still kept, one watcher of this test.
    expect([vi.getTimerCount(), store.watchers]).toEqual([1, 1]);
  });

  test('with more than there is room for is a failure that says so, and is told to the server', async () => {
    const { desk, now } = await stage();
    const result = { content: [{ type: 'text', text: 'x'.repeat(200_000) }] };
    await expect(desk.end({ result })).rejects.toThrow(NoRoomError);
    expect(await now()).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The server has no room to keep what came of the task' },
    });
  });

  test('with what is not JSON is a failure, too', async () => {
    const { desk, now } = await stage();
    await expect(desk.end({ result: { number: 1n } })).rejects.toThrow(TypeError);
    expect(await now()).toMatchObject({
      status: 'failed',
      error: { message: 'What came of the task could not be kept' },
    });
  });

  test('that the store does not take is told to the server; the task fails when its time is over', async () => {
    const { store, desk } = await stage({}, () => Promise.reject(new Error('The store is away')));
    await expect(desk.end({ result: {} })).rejects.toThrow('The store is away');
    expect(store.watchers).toBe(1);
  });
});

describe('time', () => {
  test('that is over fails the task and aborts the handler', async () => {
    vi.useFakeTimers();
    const { desk, states, store } = await stage({ ttlMs: 1000 });
    const asking = desk.ask(FORM);
    await Promise.all([vi.advanceTimersByTimeAsync(1000), expect(asking).rejects.toThrow('The task expired')]);
    expect(desk.signal.aborted).toBe(true);
    await desk.end({ result: {} });
    expect(states.map(({ status }) => status)).toEqual(['input_required', 'failed']);
    await vi.advanceTimersByTimeAsync(2000);
    expect([store.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('aborts the handler also if the store is away', async () => {
    vi.useFakeTimers();
    const { desk, errors } = await stage({ ttlMs: 1000 }, () => Promise.reject(new Error('The store is away')));
    await vi.advanceTimersByTimeAsync(1000);
    expect(desk.signal.reason).toMatchObject({ message: 'The task expired' });
    expect(errors).toEqual([new Error('The store is away')]);
  });

  test('aborts the handler also if the store never answers', async () => {
    vi.useFakeTimers();
    const { desk } = await stage({ ttlMs: 1000 }, () => new Promise(() => {}));
    const asking = desk.ask(FORM);
    await Promise.all([vi.advanceTimersByTimeAsync(1000), expect(asking).rejects.toThrow('The task expired')]);
    expect(desk.signal.aborted).toBe(true);
  });

  test('that is over while the end is written leaves a handler alone that has ended', async () => {
    vi.useFakeTimers();
    const { desk, now } = await stage({ ttlMs: 1000 }, () => new Promise(() => {}));
    void desk.end({ result: {} });
    await vi.advanceTimersByTimeAsync(1000);
    expect(desk.signal.aborted).toBe(false);
    expect(await now()).toMatchObject({ status: 'working' });
  });

  test('a task the store does not know any more is given up', async () => {
    const { desk } = await stage({}, () => Promise.resolve(undefined));
    await expect(desk.ask(FORM)).rejects.toThrow('The task is not kept any more');
    expect(desk.signal.aborted).toBe(true);
  });
});

describe('options', () => {
  test.each([
    [{ ttlMs: 0 }, 'tasks: "ttlMs" must be a whole number of milliseconds, greater than 0, or null for ever'],
    [{ ttlMs: 1.5 }, 'tasks: "ttlMs" must be a whole number of milliseconds, greater than 0, or null for ever'],
    [{ pollIntervalMs: -1 }, 'tasks: "pollIntervalMs" must be a whole number of milliseconds, greater than 0'],
    [{ runningPerOwner: 0 }, 'tasks: "runningPerOwner" must be a whole number greater than 0'],
    [{ maxTtlMs: '1h' as never }, 'tasks: "maxTtlMs" must be a whole number of milliseconds, greater than 0'],
    [{ store: { get() {} } as never }, 'tasks: the "store" lacks create, change, list, watch'],
    [{ store: null as never }, 'tasks: the "store" lacks create, get, change, list, watch'],
    [{ onError: 'log' as never }, 'tasks: "onError" must be a function'],
  ])('that make no sense are told at once: %o', (options, message) => {
    expect(() => officeOf(options)).toThrow(new TypeError(message));
  });
});
