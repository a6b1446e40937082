import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memorySessionStore } from './memory-sessions.ts';
import type { SessionStore } from './sessions.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
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

test('a wall clock that jumps forward ends no session, and one that jumps back keeps none', () => {
  const store = memorySessionStore<string>({ idleMs: 1000 });
  void store.create('a', 'one');
  vi.setSystemTime(Date.now() + 24 * 3_600_000);
  expect(store.get('a')).toBe('one');
  vi.setSystemTime(Date.now() - 48 * 3_600_000);
  vi.advanceTimersByTime(1000);
  expect(store.get('a')).toBeUndefined();
});

test('keeping what changed is no use: that was looking at it', () => {
  const store = memorySessionStore<string>({ idleMs: 1000 });
  void store.create('a', 'one');
  vi.advanceTimersByTime(600);
  void store.save('a', 'two');
  vi.advanceTimersByTime(400);
  expect(store.get('a')).toBeUndefined();
});

test('a session whose time is over makes room first', () => {
  const removed: number[] = [];
  const store = memorySessionStore<number>({ max: 2, idleMs: 1000, onRemove: (session) => void removed.push(session) });
  void store.create('1', 1);
  void store.create('2', 2);
  vi.advanceTimersByTime(1000);
  expect(store.create('3', 3)).toBe(true);
  expect(removed).toEqual([1, 2]);
});

test('when the store is full, the longest idle session gives way', () => {
  const store = memorySessionStore<number>({ max: 3 });
  for (const id of [1, 2, 3]) {
    void store.create(String(id), id);
    vi.advanceTimersByTime(1);
  }
  expect(store.get('1')).toBe(1);
  vi.advanceTimersByTime(1);
  expect(store.create('4', 4)).toBe(true);
  expect(['1', '2', '3', '4'].map((id) => store.get(id))).toEqual([1, undefined, 3, 4]);
});

test('a session in use does not give way; if all are, there is no room', () => {
  const inUse = new Set(['1']);
  const store = memorySessionStore<number>({ max: 2, isInUse: (id) => inUse.has(id) });
  void store.create('1', 1);
  vi.advanceTimersByTime(1);
  void store.create('2', 2);
  expect(store.create('3', 3)).toBe(true);
  expect(store.get('1')).toBe(1);
  expect(store.get('2')).toBeUndefined();
  inUse.add('3');
  expect(store.create('4', 4)).toBe(false);
});

/** `count` sessions of one owner, as `a0`, `a1`, ... */
function open(store: SessionStore<string>, owner: string, count: number): void {
  for (let n = 0; n < count; n++) {
    vi.advanceTimersByTime(1);
    void store.create(`${owner}${n}`, owner);
  }
}

function countOf(store: SessionStore<string>, owner: string, of: number): number {
  return Array.from({ length: of }, (_, n) => store.get(`${owner}${n}`)).filter(Boolean).length;
}

test('when the store is full, a session of the owner with the most gives way', () => {
  const store = memorySessionStore<string>({ max: 100, ownerOf: (session) => session });
  open(store, 'a', 90);
  open(store, 'b', 10);
  open(store, 'c', 20);
  expect([countOf(store, 'a', 90), countOf(store, 'b', 10), countOf(store, 'c', 20)]).toEqual([70, 10, 20]);
  expect(store.get('a0')).toBeUndefined();
});

test('above half of the places, an owner with competitors replaces its own sessions from a quarter on', () => {
  const store = memorySessionStore<string>({ max: 100, ownerOf: (session) => session });
  open(store, 'b', 30);
  open(store, 'a', 200);
  expect(countOf(store, 'b', 30)).toBe(30);
  expect(countOf(store, 'a', 200)).toBe(25);
});

test('by default 10,000 sessions are kept for half an hour', () => {
  const store = memorySessionStore<number>();
  for (let id = 0; id < 10_001; id++) void store.create(String(id), id);
  expect(store.get('0')).toBeUndefined();
  vi.advanceTimersByTime(30 * 60_000 - 1);
  expect(store.get('1')).toBe(1);
  vi.advanceTimersByTime(1);
  expect(store.get('2')).toBeUndefined();
});
