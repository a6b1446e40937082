import { afterEach, describe, expect, test, vi } from 'vitest';
import { type EventStore, type FollowedStream, memoryEventStore, type StoredEvent, streamOf } from './event-store.ts';

const event = (id: string, data = id, isLast = false): StoredEvent => ({ id, data, isLast });

/** Follows a stream, synchronously. */
function follow(
  store: EventStore,
  session: string,
  after: string,
  listener: (event: StoredEvent) => void,
): FollowedStream | undefined {
  return store.follow(session, after, listener) as FollowedStream | undefined;
}

/** Returns the data of the events after this one; undefined if the stream cannot be followed. */
function eventsAfter(store: ReturnType<typeof memoryEventStore>, session: string, after: string): string[] | undefined {
  const received: string[] = [];
  const followed = follow(store, session, after, ({ data, isLast }) => void received.push(isLast ? `${data}!` : data));
  followed?.stop();
  return followed && received;
}

afterEach(() => {
  vi.useRealTimers();
});

test('an event id contains the stream id', () => {
  expect(streamOf('a.b.3')).toBe('a.b');
  expect(streamOf('none')).toBe('');
});

test('a follower gets the events after a given one, and then each new one', () => {
  const store = memoryEventStore();
  for (const id of ['a.0', 'a.1', 'b.0', 'a.2']) void store.append('s', event(id));
  const received: string[] = [];
  const followed = follow(store, 's', 'a.0', ({ data }) => void received.push(data));
  expect(received).toEqual(['a.1', 'a.2']);
  void store.append('s', event('b.1'));
  void store.append('s', event('a.3'));
  followed?.stop();
  void store.append('s', event('a.4'));
  expect(received).toEqual(['a.1', 'a.2', 'a.3']);
});

test('event numbers are compared as numbers', () => {
  const store = memoryEventStore();
  for (let number = 0; number < 12; number++) void store.append('s', event(`a.${number}`));
  expect(eventsAfter(store, 's', 'a.9')).toEqual(['a.10', 'a.11']);
});

test.each(['b.0', 'a', 'a.', 'a.x', 'a.-1', 'a.1e3', '', '.', '__proto__.0', 'constructor.0'])(
  'nothing is known of "%s"',
  (id) => {
    const store = memoryEventStore();
    void store.append('s', event('a.0'));
    expect(eventsAfter(store, 's', id)).toBeUndefined();
  },
);

test('a session cannot follow the streams of another one', () => {
  const store = memoryEventStore();
  void store.append('mine', event('a.0'));
  void store.append('mine', event('a.1'));
  expect(eventsAfter(store, 'other', 'a.0')).toBeUndefined();
  void store.append('other', event('b.0'));
  expect(eventsAfter(store, 'other', 'a.0')).toBeUndefined();
});

test('a follower that has all events of a finished stream gets an empty last event', () => {
  const store = memoryEventStore();
  void store.append('s', event('a.0'));
  void store.append('s', event('a.1', 'answer', true));
  expect(eventsAfter(store, 's', 'a.0')).toEqual(['answer!']);
  expect(eventsAfter(store, 's', 'a.1')).toEqual(['!']);
});

describe('the oldest events are removed', () => {
  const big = (id: string): StoredEvent => event(id, 'x'.repeat(1000));

  test('of a session that exceeds its limit', () => {
    const store = memoryEventStore({ maxSessionBytes: 3000 });
    for (const id of ['a.0', 'a.1', 'a.2', 'a.3']) void store.append('s', big(id));
    // Two events are kept. The event with this id has been removed, and the ones after it are delivered.
    expect(eventsAfter(store, 's', 'a.0')?.length).toBe(2);
    expect(eventsAfter(store, 's', 'a.2')?.length).toBe(1);
  });

  test('of all sessions when the total limit is exceeded', () => {
    const store = memoryEventStore({ maxBytes: 3000 });
    void store.append('first', big('a.0'));
    void store.append('second', big('b.0'));
    void store.append('third', big('c.0'));
    expect(eventsAfter(store, 'first', 'a.0')).toBeUndefined();
    expect(eventsAfter(store, 'second', 'b.0')).toEqual([]);
    expect(eventsAfter(store, 'third', 'c.0')).toEqual([]);
  });

  test('when they expire', () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    const store = memoryEventStore({ keepMs: 1000 });
    void store.append('s', event('a.0'));
    vi.advanceTimersByTime(1000);
    void store.append('s', event('b.0'));
    expect(eventsAfter(store, 's', 'a.0')).toBeUndefined();
    expect(eventsAfter(store, 's', 'b.0')).toEqual([]);
  });

  test('when they expire, also if no event follows', () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    const store = memoryEventStore({ keepMs: 1000 });
    void store.append('s', event('a.0'));
    vi.advanceTimersByTime(400);
    void store.append('s', event('b.0'));
    vi.advanceTimersByTime(600);
    expect([eventsAfter(store, 's', 'a.0'), eventsAfter(store, 's', 'b.0')]).toEqual([undefined, []]);
    vi.advanceTimersByTime(400);
    expect(eventsAfter(store, 's', 'b.0')).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('by a monotonic clock', () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] });
    const store = memoryEventStore({ keepMs: 1000 });
    void store.append('s', event('a.0'));
    vi.setSystemTime(Date.now() + 3_600_000);
    void store.append('s', event('a.1'));
    expect(eventsAfter(store, 's', 'a.0')).toEqual(['a.1']);
    vi.setSystemTime(Date.now() - 7_200_000);
    vi.advanceTimersByTime(1000);
    expect(eventsAfter(store, 's', 'a.0')).toBeUndefined();
  });

  test('an event above the total limit is delivered to followers and not kept', () => {
    const store = memoryEventStore({ maxSessionBytes: 1000 });
    void store.append('s', event('a.0'));
    const received: number[] = [];
    void store.follow('s', 'a.0', ({ data }) => void received.push(data.length));
    void store.append('s', event('a.1', 'x'.repeat(5000)));
    expect(received).toEqual([5000]);
    expect(eventsAfter(store, 's', 'a.0')).toEqual([]);
  });
});

test('forget removes all events of a session, and their bytes do not count any more', () => {
  const store = memoryEventStore({ maxBytes: 3000 });
  void store.append('s', event('a.0', 'x'.repeat(2000)));
  void store.forget('s');
  void store.forget('never there');
  expect(eventsAfter(store, 's', 'a.0')).toBeUndefined();
  void store.append('t', event('b.0', 'x'.repeat(1000)));
  void store.append('t', event('b.1', 'x'.repeat(1000)));
  expect(eventsAfter(store, 't', 'b.0')?.length).toBe(1);
});

test('a stream can be followed again after all its events have expired', () => {
  const store = memoryEventStore({ maxSessionBytes: 300 });
  void store.append('s', event('a.0'));
  const followed = follow(store, 's', 'a.0', () => {});
  void store.append('s', event('b.0', 'x'.repeat(100)));
  followed?.stop();
  followed?.stop();
  expect(eventsAfter(store, 's', 'a.0')).toBeUndefined();
  void store.append('s', event('a.1', 'y'));
  expect(eventsAfter(store, 's', 'a.0')).toEqual(['y']);
});

test('a followed stream has the request ids of its first event, as long as that is kept', () => {
  const store = memoryEventStore({ maxSessionBytes: 1000 });
  void store.append('s', { ...event('a.0'), requestIds: [1, 'two'] });
  void store.append('s', event('a.1'));
  expect(follow(store, 's', 'a.1', () => {})?.requestIds).toEqual([1, 'two']);
  void store.append('s', event('a.2', 'x'.repeat(700)));
  expect(follow(store, 's', 'a.1', () => {})?.requestIds).toEqual([]);
});

test('a closed store is empty', () => {
  const store = memoryEventStore();
  void store.append('s', event('a.0'));
  void store.close?.();
  expect(eventsAfter(store, 's', 'a.0')).toBeUndefined();
});
