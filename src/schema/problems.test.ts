import { expect, test } from 'vitest';
import { describeProblems } from './problems.ts';

test('a description contains the path of each problem', () => {
  expect(
    describeProblems([
      { path: '/a/0', message: 'must be string' },
      { path: '', message: 'must be nice' },
    ]),
  ).toBe('/a/0 must be string; must be nice');
});

test('ten of many problems are listed, and the others counted', () => {
  const text = describeProblems(Array.from({ length: 25 }, (_, i) => ({ path: `/${i}`, message: 'must be string' })));
  expect(text.split('; ')).toHaveLength(11);
  expect(text).toMatch(/; and 15 more$/);
});

test.each(['x', '中', '😀'])('a description has at most 4 KB', (char) => {
  const text = describeProblems(Array(20).fill({ path: '', message: char.repeat(1500) }));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
  expect(text).toMatch(/problems|more/);
});
