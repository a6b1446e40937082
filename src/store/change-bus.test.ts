import { expect, test } from 'vitest';
import { memoryChangeBus } from './change-bus.ts';

test('every subscriber gets every change, in order', () => {
  const bus = memoryChangeBus<number>();
  const received: string[] = [];
  bus.subscribe((change) => received.push(`a${change}`));
  const stop = bus.subscribe((change) => received.push(`b${change}`));
  void bus.publish(1);
  stop();
  stop();
  void bus.publish(2);
  expect(received).toEqual(['a1', 'b1', 'a2']);
});

test('one listener can have two subscriptions and end one of them', () => {
  const bus = memoryChangeBus<number>();
  const received: unknown[] = [];
  const listener = (change: unknown): void => {
    received.push(change);
  };
  const stop = bus.subscribe(listener);
  bus.subscribe(listener);
  void bus.publish(1);
  stop();
  void bus.publish(2);
  expect(received).toEqual([1, 1, 2]);
});

test('subscribing and unsubscribing in a listener does not affect the other listeners', () => {
  const bus = memoryChangeBus<number>();
  const received: string[] = [];
  const stop = bus.subscribe((change) => {
    received.push(`a${change}`);
    stop();
    bus.subscribe((later) => received.push(`c${later}`));
  });
  bus.subscribe((change) => received.push(`b${change}`));
  void bus.publish(1);
  expect(received).toEqual(['a1', 'b1']);
  void bus.publish(2);
  expect(received).toEqual(['a1', 'b1', 'b2', 'c2']);
});
