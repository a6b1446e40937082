import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memorySessionStore } from './sessions.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('a session is there until it is deleted', () => {
  const store = memorySessionStore<string>();
  expect(store.create('a', 'one')).toBe(true);
  expect(store.get('a')).toBe('one');
  void store.save('a', 'two');
  expect(store.get('a')).toBe('two');
  expect(store.delete('a')).toBe(true);
  expect(store.delete('a')).toBe(false);
  expect(store.get('a')).toBeUndefined();
  void store.save('a', 'three');
  expect(store.get('a')).toBeUndefined();
});

test.each(['__proto__', 'constructor', 'toString'])('"%s" is a name like any other', (id) => {
  const store = memorySessionStore<string>();
  expect(store.get(id)).toBeUndefined();
  void store.create(id, 'one');
  expect(store.get(id)).toBe('one');
});

test('one that is not used is forgotten after its time, and looking at it is use', () => {
  const store = memorySessionStore<string>({ idleMs: 1000 });
  void store.create('idle', 'a');
  void store.create('used', 'b');
  vi.advanceTimersByTime(999);
  expect(store.get('used')).toBe('b');
  vi.advanceTimersByTime(1);
  expect(store.get('idle')).toBeUndefined();
  expect(store.get('used')).toBe('b');
  vi.advanceTimersByTime(1000);
  expect(store.get('used')).toBeUndefined();
});

test('keeping what changed is no use: that was looking at it', () => {
  const store = memorySessionStore<string>({ idleMs: 1000 });
  void store.create('a', 'one');
  vi.advanceTimersByTime(600);
  void store.save('a', 'two');
  vi.advanceTimersByTime(400);
  expect(store.get('a')).toBeUndefined();
});

test('there is room for as many as allowed; those whose time is over make room', () => {
  const store = memorySessionStore<number>({ max: 2, idleMs: 1000 });
  expect([1, 2, 3].map((id) => store.create(String(id), id))).toEqual([true, true, false]);
  expect(store.get('3')).toBeUndefined();
  vi.advanceTimersByTime(1000);
  expect(store.create('4', 4)).toBe(true);
  expect(store.get('1')).toBeUndefined();
});

test('unless it is told otherwise it keeps 10,000 for half an hour', () => {
  const store = memorySessionStore<number>();
  for (let id = 0; id < 10_000; id++) void store.create(String(id), id);
  expect(store.create('more', 0)).toBe(false);
  vi.advanceTimersByTime(30 * 60_000 - 1);
  expect(store.create('more', 0)).toBe(false);
  vi.advanceTimersByTime(1);
  expect(store.create('more', 0)).toBe(true);
});
