import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BARS } from './bars.mjs';
import { boundOf, withBars } from './judge.mjs';

const tableWith = (mode, measures) => ({ title: mode, columns: [], rows: [], measured: [{ mode, measures }] });
const growth = (tools, sessions) => [
  tableWith('tools', { growth: tools }),
  tableWith('sessions', { growth: sessions }),
];

test('a section, mode and measure has one bar', () => {
  const names = BARS.map(({ section, mode, measure }) => [section, mode, measure].join(' / '));
  expect(new Set(names).size).toBe(BARS.length);
});

test('every bar belongs to a section or to compare, and has a direction, a bound and a sentence', () => {
  for (const { section, direction, bound, sentence } of BARS) {
    const isSection = existsSync(new URL(`sections/${section}.mjs`, import.meta.url));
    expect(isSection || section === 'compare', section).toBe(true);
    expect(['<=', '>=']).toContain(direction);
    expect(bound).toBeGreaterThan(0);
    expect(sentence).toMatch(/^[A-Z].*\.$/);
  }
});

test('a measure at its bound meets an upper bar, and a larger one does not', () => {
  const bound = boundOf('growth', 'tools', 'growth');
  const [tools, sessions] = withBars('growth', growth(bound, bound + 0.01));
  expect(tools.bars).toMatchObject([{ value: bound, bar: bound, direction: '<=', isMet: true }]);
  expect(sessions.bars).toMatchObject([{ isMet: false }]);
});

test('a measure at its bound meets a lower bar, and a smaller one does not', () => {
  const bound = boundOf('list', 'http', 'toFloor');
  const tables = [tableWith('http', { toFloor: bound }), tableWith('stdio', { toFloor: bound - 0.01 })];
  const verdicts = withBars('list', tables).map(({ bars }) => bars[0].isMet);
  expect(verdicts).toEqual([true, false]);
});

test('a bar without a measure is neither met nor missed', () => {
  const [tools, sessions] = withBars('growth', growth(undefined, Number.NaN));
  expect([...tools.bars, ...sessions.bars].map(({ isMet }) => isMet)).toEqual([undefined, undefined]);
});

test('a bar for a mode that no table measures is an error', () => {
  expect(() => withBars('growth', growth(1, 1).slice(1))).toThrow('No table of section growth measures tools');
});
