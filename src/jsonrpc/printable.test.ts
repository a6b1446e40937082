import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test('control characters, bidirectional marks and line separators are escaped', () => {
  expect(printable('a\u001b[31mb\r\nc\u007fd\u009be')).toBe('a\\u{1b}[31mb\\u{d}\\u{a}c\\u{7f}d\\u{9b}e');
  const marks = ['\u061c', '\u200e', '\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069'];
  for (const mark of marks) expect(printable(mark)).toBe(`\\u{${mark.charCodeAt(0).toString(16)}}`);
});

test('other text is not changed, and escaping twice has the same result', () => {
  for (const text of ['', 'Grüße, 世界 😀', 'C:\\temp "x"', '\u200b']) expect(printable(text)).toBe(text);
  expect(printable(printable('\u202e'))).toBe('\\u{202e}');
});

test('a long text is cut before it is escaped', () => {
  expect(printable('x'.repeat(301))).toBe(`${'x'.repeat(300)}...`);
  expect(printable('\0'.repeat(1_000_000), 2)).toBe('\\u{0}\\u{0}...');
});
