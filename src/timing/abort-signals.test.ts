import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from './abort-signals.ts';

test('any number of listeners is one to the signal, and none when they have left', () => {
  const { signal } = new AbortController();
  const leaves = Array.from({ length: 20 }, () => onAbort(signal, () => {}));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const leave of leaves) leave();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  onAbort(signal, () => {});
  // Whoever left and leaves again takes nobody with it.
  for (const leave of leaves) leave();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});

test('those who are there when it aborts are told, once and in order', () => {
  const abort = new AbortController();
  const told: string[] = [];
  const leave = onAbort(abort.signal, () => told.push('gone'));
  onAbort(abort.signal, () => told.push('first'));
  onAbort(abort.signal, () => told.push('second'));
  leave();
  abort.abort();
  expect(told).toEqual(['first', 'second']);
});
