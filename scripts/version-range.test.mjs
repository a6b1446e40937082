import { expect, test } from 'vitest';
import { compareVersions, isInRange } from './version-range.mjs';

test.each([
  ['7.0.4', '<6.0.6 || >=7.0.0 <7.0.5', true],
  ['7.0.5', '<6.0.6 || >=7.0.0 <7.0.5', false],
  ['6.0.5', '<6.0.6 || >=7.0.0 <7.0.5', true],
  ['6.9.9', '<6.0.6 || >=7.0.0 <7.0.5', false],
  ['10.0.0', '<9.0.0', false],
  ['1.2.3', '1.2.3', true],
  ['1.2.3', '=1.2.4', false],
  ['1.2.3', '<=1.2.3', true],
  ['1.2.3', '>1.2.3', false],
  ['2.0.0-6', '>=2.0.0-5 <2.2.2', true],
  ['2.0.0-4', '>=2.0.0-5 <2.2.2', false],
])('whether %s is in %s: %s', (version, range, expected) => {
  expect(isInRange(version, range)).toBe(expected);
});

test('versions are ordered as Semantic Versioning 2.0.0 says', () => {
  const ordered = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11'];
  ordered.push('1.0.0-rc.1', '1.0.0', '1.0.1', '1.10.0', '2.0.0');
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
});

test('what is no version is refused', () => {
  expect(() => isInRange('1.2', '<2.0.0')).toThrow('1.2 is not a version');
  expect(() => isInRange('1.2.3', '<2.x')).toThrow('2.x is not a version');
});
