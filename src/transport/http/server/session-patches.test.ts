import { expect, test } from 'vitest';
import { patchesOf, type SessionState } from './session-patches.ts';

const before: SessionState = { initialized: false, logLevel: 'info', subscriptions: ['a:1'] };

test('each change of a session is a patch of its own, and no change is none', () => {
  expect(patchesOf(before, { ...before })).toEqual([]);
  const after: SessionState = { initialized: true, logLevel: 'error', subscriptions: ['b:2'] };
  expect(patchesOf(before, after)).toEqual([
    { initialized: true },
    { logLevel: 'error' },
    { subscribe: 'b:2' },
    { unsubscribe: 'a:1' },
  ]);
});
