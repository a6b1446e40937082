import { expect, test } from 'vitest';
import { isWithin } from './changes.ts';
import { isAtLeast, LOGGING_LEVELS } from './logging.ts';
import { isPrefixedKey, MetaKey } from './meta.ts';

test.each([
  'com.example/feature',
  'io.modelcontextprotocol/tasks',
  'a/b',
  'a-1.b2/x.y_z-1',
  'com.example/',
  ...Object.values(MetaKey),
])('%s is a key with a prefix', (key) => {
  expect(isPrefixedKey(key)).toBe(true);
});

test.each([
  '',
  'feature',
  '/feature',
  '1a/b',
  'a-/b',
  '-a/b',
  'a..b/c',
  '.a/b',
  'a./b',
  'a/-b',
  'a/b-',
  'a/b/c',
  'a b/c',
  'a/é',
])('"%s" is not a key with a prefix', (key) => {
  expect(isPrefixedKey(key)).toBe(false);
});

test('a long key is refused at once', () => {
  const started = performance.now();
  expect(isPrefixedKey(`${'a-'.repeat(100_000)}/`)).toBe(false);
  expect(isPrefixedKey(`${'a-'.repeat(126)}!`)).toBe(false);
  expect(performance.now() - started).toBeLessThan(50);
});

test('a subscription to a folder includes URIs below it and no others', () => {
  expect(isWithin('file:///a', 'file:///a')).toBe(true);
  expect(isWithin('file:///a/b', 'file:///a')).toBe(true);
  expect(isWithin('file:///a/b', 'file:///a/')).toBe(true);
  expect(isWithin('file:///ab', 'file:///a')).toBe(false);
  expect(isWithin('file:///a', 'file:///a/b')).toBe(false);
});

test('isAtLeast is true for the minimum level and all more severe ones', () => {
  expect(LOGGING_LEVELS.filter((level) => isAtLeast(level, 'warning'))).toEqual([
    'warning',
    'error',
    'critical',
    'alert',
    'emergency',
  ]);
});
