import { expect, test } from 'vitest';
import { AuthError } from './errors.ts';

test('an error escapes what its message and its steps quote', () => {
  const step = {
    what: 'metadata',
    url: 'https://a.example/\u009b',
    status: 200,
    outcome: 'names \u202eevil\n  forged: found',
  };
  const { message, trace } = new AuthError('x', 'It says \u001b[2J\u2028', { trace: [step] });
  expect(message).toBe(
    'It says \\u{1b}[2J\\u{2028}\nWhat was tried:\n' +
      '  metadata, https://a.example/\\u{9b}, status 200: names \\u{202e}evil\\u{a}  forged: found',
  );
  expect(trace).toEqual([
    {
      what: 'metadata',
      url: 'https://a.example/\\u{9b}',
      status: 200,
      outcome: 'names \\u{202e}evil\\u{a}  forged: found',
    },
  ]);
});

test('an error has a bounded length', () => {
  const step = { what: 'metadata', url: 'x'.repeat(10_000), outcome: 'y'.repeat(10_000) };
  expect(new AuthError('x', 'z'.repeat(1_000_000), { trace: [step] }).message.length).toBeLessThan(3000);
});
