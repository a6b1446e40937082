import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SessionStore, StoredSession } from './session-store.ts';
import { memorySessionStore } from './session-store.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** The record of a session. */
function record<Record>(store: SessionStore<Record>, id: string): Record | undefined {
  return (store.get(id) as StoredSession<Record> | undefined)?.record;
}

test('a session exists until it is deleted', () => {
  const store = memorySessionStore<string>();
  expect(store.create('a', 'one', '')).toBe(true);
  expect(store.get('a')).toMatchObject({ record: 'one', initialized: false, logLevel: undefined });
  expect(store.delete('a')).toBe(true);
  expect(store.delete('a')).toBe(false);
  expect(store.get('a')).toBeUndefined();
  void store.update('a', { initialized: true });
  expect(store.get('a')).toBeUndefined();
});

test('a patch changes only its own property', () => {
  const store = memorySessionStore<string>();
  void store.create('a', 'one', '');
  void store.update('a', { initialized: true });
  void store.update('a', { logLevel: 'error' });
  for (const uri of ['x:1', 'x:2', 'x:1', 'x:3']) void store.update('a', { subscribe: uri });
  void store.update('a', { unsubscribe: 'x:2' });
  void store.update('a', { unsubscribe: 'x:4' });
  expect(store.get('a')).toMatchObject({ record: 'one', initialized: true, logLevel: 'error' });
  expect([...(store.subscriptions('a') as readonly string[])].sort()).toEqual(['x:1', 'x:3']);
  expect(store.subscriptions('b')).toEqual([]);
});

test('a session has one GET stream, which another one replaces if the condition allows it', () => {
  const store = memorySessionStore<string>();
  void store.create('a', 'one', '');
  expect(store.takeStream('a', 's1', { force: false })).toEqual({ isTaken: true, previous: undefined });
  expect(store.takeStream('a', 's2', { force: false })).toEqual({ isTaken: false, previous: 's1' });
  expect(store.takeStream('a', 's2', { force: false, from: 's1' })).toEqual({ isTaken: true, previous: 's1' });
  expect(store.takeStream('a', 's3', { force: true })).toEqual({ isTaken: true, previous: 's2' });
  void store.update('a', { unread: 's2' });
  expect(store.takeStream('a', 's4', { force: false })).toEqual({ isTaken: false, previous: 's3' });
  void store.update('a', { unread: 's3' });
  expect(store.takeStream('a', 's4', { force: false })).toEqual({ isTaken: true, previous: 's3' });
  expect(store.takeStream('b', 's5', { force: true })).toEqual({ isTaken: false, previous: undefined });
});

test('touch resets the idle time, and returns the sessions that no longer exist', () => {
  const store = memorySessionStore<string>({ idleMs: 1000 });
  void store.create('a', 'one', '');
  void store.create('b', 'two', '');
  vi.advanceTimersByTime(600);
  expect(store.touch(['a', 'c'])).toEqual(['c']);
  vi.advanceTimersByTime(600);
  expect(store.touch(['a', 'b'])).toEqual(['b']);
});

test('a closed store is empty', () => {
  const removed: string[] = [];
  const store = memorySessionStore<string>({ onRemove: (_, id) => void removed.push(id) });
  void store.create('a', 'one', '');
  void store.close?.();
  expect([removed, store.get('a')]).toEqual([['a'], undefined]);
});

test.each(['__proto__', 'constructor', 'toString'])('"%s" is a valid session id', (id) => {
  const store = memorySessionStore<string>();
  expect(store.get(id)).toBeUndefined();
  void store.create(id, 'one', '');
  expect(record(store, id)).toBe('one');
});

test('a session expires after its idle time, which get resets', () => {
  const store = memorySessionStore<string>({ idleMs: 1000 });
  void store.create('idle', 'a', '');
  void store.create('used', 'b', '');
  vi.advanceTimersByTime(999);
  expect(record(store, 'used')).toBe('b');
  vi.advanceTimersByTime(1);
  expect(store.get('idle')).toBeUndefined();
  expect(record(store, 'used')).toBe('b');
  vi.advanceTimersByTime(1000);
  expect(store.get('used')).toBeUndefined();
});

test('a change of the wall clock neither ends nor extends a session', () => {
  const store = memorySessionStore<string>({ idleMs: 1000 });
  void store.create('a', 'one', '');
  vi.setSystemTime(Date.now() + 24 * 3_600_000);
  expect(record(store, 'a')).toBe('one');
  vi.setSystemTime(Date.now() - 48 * 3_600_000);
  vi.advanceTimersByTime(1000);
  expect(store.get('a')).toBeUndefined();
});

test('an update does not reset the idle time', () => {
  const store = memorySessionStore<string>({ idleMs: 1000 });
  void store.create('a', 'one', '');
  vi.advanceTimersByTime(600);
  void store.update('a', { initialized: true });
  vi.advanceTimersByTime(400);
  expect(store.get('a')).toBeUndefined();
});

test('expired sessions are removed first', () => {
  const removed: number[] = [];
  const store = memorySessionStore<number>({ max: 2, idleMs: 1000, onRemove: (session) => void removed.push(session) });
  void store.create('1', 1, '');
  void store.create('2', 2, '');
  vi.advanceTimersByTime(1000);
  expect(store.create('3', 3, '')).toBe(true);
  expect(removed).toEqual([1, 2]);
});

test('when the store is full, the longest idle session is removed', () => {
  const store = memorySessionStore<number>({ max: 3 });
  for (const id of [1, 2, 3]) {
    void store.create(String(id), id, '');
    vi.advanceTimersByTime(1);
  }
  expect(record(store, '1')).toBe(1);
  vi.advanceTimersByTime(1);
  expect(store.create('4', 4, '')).toBe(true);
  expect(['1', '2', '3', '4'].map((id) => record(store, id))).toEqual([1, undefined, 3, 4]);
});

test('a session in use is not removed; if all are in use, create returns false', () => {
  const inUse = new Set(['1']);
  const store = memorySessionStore<number>({ max: 2, isInUse: (id) => inUse.has(id) });
  void store.create('1', 1, '');
  vi.advanceTimersByTime(1);
  void store.create('2', 2, '');
  expect(store.create('3', 3, '')).toBe(true);
  expect(record(store, '1')).toBe(1);
  expect(store.get('2')).toBeUndefined();
  inUse.add('3');
  expect(store.create('4', 4, '')).toBe(false);
});

/** `count` sessions of one owner, as `a0`, `a1`, ... */
function open(store: SessionStore<string>, owner: string, count: number): void {
  for (let n = 0; n < count; n++) {
    vi.advanceTimersByTime(1);
    void store.create(`${owner}${n}`, owner, owner);
  }
}

function countOf(store: SessionStore<string>, owner: string, of: number): number {
  return Array.from({ length: of }, (_, n) => store.get(`${owner}${n}`)).filter(Boolean).length;
}

test('when the store is full, a session of the owner with the most sessions is removed', () => {
  const store = memorySessionStore<string>({ max: 100 });
  open(store, 'a', 90);
  open(store, 'b', 10);
  open(store, 'c', 20);
  expect([countOf(store, 'a', 90), countOf(store, 'b', 10), countOf(store, 'c', 20)]).toEqual([70, 10, 20]);
  expect(store.get('a0')).toBeUndefined();
});

test('in a store that is half full, an owner with a quarter of the maximum replaces its own sessions', () => {
  const store = memorySessionStore<string>({ max: 100 });
  open(store, 'b', 30);
  open(store, 'a', 200);
  expect(countOf(store, 'b', 30)).toBe(30);
  expect(countOf(store, 'a', 200)).toBe(25);
});

test('by default 10,000 sessions are kept for half an hour', () => {
  const store = memorySessionStore<number>();
  for (let id = 0; id < 10_001; id++) void store.create(String(id), id, '');
  expect(store.get('0')).toBeUndefined();
  vi.advanceTimersByTime(30 * 60_000 - 1);
  expect(record(store, '1')).toBe(1);
  vi.advanceTimersByTime(1);
  expect(store.get('2')).toBeUndefined();
});
