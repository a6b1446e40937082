import { describe, expect, test } from 'vitest';
import { keptUntil, type StoredTask, type TaskQuestion } from '../store.ts';
import { answered, asked, cancelled, ended, progressed, seenAt } from './state.ts';

const NEW: StoredTask = {
  taskId: 'a',
  owner: '',
  revision: '2026-07-28',
  version: 1,
  status: 'working',
  createdAt: 1000,
  lastUpdatedAt: 1000,
  ttlMs: 60_000,
  pollIntervalMs: 1000,
  questions: [],
};
const name: TaskQuestion = {
  key: 'elicitation-1',
  request: { method: 'elicitation/create', params: { message: '?' } } as unknown as TaskQuestion['request'],
};
const roots: TaskQuestion = { key: 'roots-2', request: { method: 'roots/list' } };
const yes = { answer: { action: 'accept' } };
const error = { code: -32000, message: 'It broke' };

test('a task waits for input while a question is open, and then works again', () => {
  const one = asked(2000, NEW, name);
  const two = asked(2001, one, roots);
  expect(two).toMatchObject({ status: 'input_required', version: 3, lastUpdatedAt: 2001, questions: [name, roots] });
  const half = answered(3000, two, new Map([['roots-2', { answer: { roots: [] } }]]));
  expect(half.status).toBe('input_required');
  const all = answered(4000, half, new Map([['elicitation-1', yes]]));
  expect(all).toMatchObject({ status: 'working', version: 5, lastUpdatedAt: 4000 });
  expect(all.questions[0]).toEqual({ ...name, reply: yes });
});

test('replies to what is not open change nothing: never asked, or answered already', () => {
  const one = answered(2000, asked(2000, NEW, name), new Map([['elicitation-1', yes]]));
  const no = { answer: { action: 'decline' } };
  expect(answered(3000, one, new Map([['elicitation-1', no]]))).toBe(one);
  expect(answered(3000, one, new Map([['constructor', no]]))).toBe(one);
});

test('a question is put once, however often the step is taken', () => {
  const one = asked(2000, NEW, name);
  expect(asked(2000, one, name).questions).toEqual([name]);
});

test('what the handler has got is forgotten with its next question', () => {
  const one = answered(2000, asked(2000, NEW, name), new Map([['elicitation-1', yes]]));
  expect(asked(3000, one, roots, ['elicitation-1']).questions).toEqual([roots]);
});

test('how far it has got is its status message; the same again is no change', () => {
  const half = progressed(2000, NEW, '1/2');
  expect(half).toMatchObject({ status: 'working', statusMessage: '1/2', version: 2 });
  expect(progressed(3000, half, '1/2')).toBe(half);
});

test('a result completes it, also one that says it is an error; only an error fails it', () => {
  const busy = progressed(2000, asked(2000, NEW, name), '1/2');
  const done = ended(3000, busy, { result: { content: [], isError: true } });
  expect(done).toMatchObject({ status: 'completed', result: { isError: true }, questions: [], lastUpdatedAt: 3000 });
  expect(done).not.toHaveProperty('statusMessage');
  expect(ended(3000, busy, { error })).toMatchObject({ status: 'failed', error, statusMessage: 'It broke' });
});

test('a clock that is behind does not turn time back', () => {
  expect(progressed(5, NEW, 'x').lastUpdatedAt).toBe(1000);
});

describe('final is final', () => {
  const finals: readonly (readonly [string, StoredTask])[] = [
    ['completed', ended(2000, NEW, { result: {} })],
    ['failed', ended(2000, NEW, { error })],
    ['cancelled', cancelled(2000, asked(2000, NEW, name))],
    ['expired', seenAt(61_000, NEW)],
  ];
  const events: readonly (readonly [string, (task: StoredTask) => StoredTask])[] = [
    ['asked', (task) => asked(3000, task, name)],
    ['answered', (task) => answered(3000, task, new Map([['elicitation-1', yes]]))],
    ['progressed', (task) => progressed(3000, task, 'x')],
    ['completed', (task) => ended(3000, task, { result: {} })],
    ['failed', (task) => ended(3000, task, { error })],
    ['cancelled', (task) => cancelled(3000, task)],
    ['expired', (task) => seenAt(10 ** 9, task)],
  ];
  const pairs = finals.flatMap(([final, task]) => events.map(([event, happens]) => ({ final, event, task, happens })));

  test.each(pairs)('$final, then $event', ({ task, happens }) => {
    expect(happens(task)).toBe(task);
  });
});

describe('time', () => {
  test('a task that was running when its time was over has failed then, whoever looks and when', () => {
    expect(seenAt(60_999, NEW)).toBe(NEW);
    const expired = seenAt(61_000, asked(2000, NEW, name));
    expect(expired).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The task expired: it was not done within the time it is kept' },
      lastUpdatedAt: 61_000,
      questions: [],
    });
    expect(seenAt(99_000, asked(2000, NEW, name))).toEqual(expired);
    expect(keptUntil(expired)).toBe(keptUntil(NEW));
  });

  test('nothing else befalls it then: an answer, an end and a cancellation come too late', () => {
    const expired = seenAt(61_000, NEW);
    expect(ended(61_000, NEW, { result: {} })).toEqual(expired);
    expect(cancelled(61_000, NEW)).toEqual(expired);
    expect(progressed(61_000, NEW, 'x')).toEqual(expired);
  });

  test('without an end it goes on for ever', () => {
    const endless = { ...NEW, ttlMs: null };
    expect(seenAt(10 ** 15, endless)).toBe(endless);
    expect(keptUntil(endless)).toBe(Number.POSITIVE_INFINITY);
  });

  test('what is left to see an end is two polls, and between a second and a minute', () => {
    const graceOf = (pollIntervalMs: number): number => keptUntil({ ...NEW, pollIntervalMs }) - 61_000;
    expect([10, 1000, 10 ** 6].map(graceOf)).toEqual([1000, 2000, 60_000]);
  });
});
