import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from './abort-signals.ts';

test('onAbort adds one listener to a signal for many callbacks, and removes it with the last of them', () => {
  const { signal } = new AbortController();
  const leaves = Array.from({ length: 20 }, () => onAbort(signal, () => {}));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const leave of leaves) leave();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  onAbort(signal, () => {});
  // A second unsubscribe has no effect on the others.
  for (const leave of leaves) leave();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});

test('the present callbacks are called once and in order when the signal aborts', () => {
  const abort = new AbortController();
  const told: string[] = [];
  const leave = onAbort(abort.signal, () => told.push('gone'));
  onAbort(abort.signal, () => told.push('first'));
  onAbort(abort.signal, () => told.push('second'));
  leave();
  abort.abort();
  expect(told).toEqual(['first', 'second']);
});
