import { expect, test } from 'vitest';
import { memoryChangeBus } from './change-bus.ts';

test('everybody who subscribed hears every change, in order', () => {
  const bus = memoryChangeBus<number>();
  const heard: string[] = [];
  bus.subscribe((change) => heard.push(`a${change}`));
  const stop = bus.subscribe((change) => heard.push(`b${change}`));
  void bus.publish(1);
  stop();
  stop();
  void bus.publish(2);
  expect(heard).toEqual(['a1', 'b1', 'a2']);
});

test('the same function may subscribe twice, and leave once', () => {
  const bus = memoryChangeBus<number>();
  const heard: unknown[] = [];
  const listener = (change: unknown): void => {
    heard.push(change);
  };
  const stop = bus.subscribe(listener);
  bus.subscribe(listener);
  void bus.publish(1);
  stop();
  void bus.publish(2);
  expect(heard).toEqual([1, 1, 2]);
});

test('who comes or goes while a change is told does not disturb the others', () => {
  const bus = memoryChangeBus<number>();
  const heard: string[] = [];
  const stop = bus.subscribe((change) => {
    heard.push(`a${change}`);
    stop();
    bus.subscribe((later) => heard.push(`c${later}`));
  });
  bus.subscribe((change) => heard.push(`b${change}`));
  void bus.publish(1);
  expect(heard).toEqual(['a1', 'b1']);
  void bus.publish(2);
  expect(heard).toEqual(['a1', 'b1', 'b2', 'c2']);
});
