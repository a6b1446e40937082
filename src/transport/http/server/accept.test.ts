import { describe, expect, test } from 'vitest';
import { acceptOf, isJson } from './accept.ts';

describe('what an Accept header admits', () => {
  test.each([
    [undefined, 'json'],
    ['', 'json'],
    ['  ', 'json'],
    ['application/json, text/event-stream', 'json events'],
    ['text/event-stream,application/json;q=0.5', 'json events'],
    ['*/*', 'json events'],
    ['application/*', 'json'],
    ['text/*', 'events'],
    ['TEXT/EVENT-STREAM', 'events'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'json events page'],
    ['text/html, text/event-stream', 'events'],
    ['text/html;q=0, */*', 'json events'],
    ['text/event-stream;q=0, */*', 'json'],
    ['text/event-stream;q=0, text/*', ''],
    ['*/*;q=0, application/json', 'json'],
    ['application/json;q=0.001', 'json'],
    ['application/json;q=0.000', ''],
    ['application/json;profile="a"; q=0', ''],
    ['application/jsonp', ''],
    [',,;,', ''],
  ])('"%s": %s', (header, kinds) => {
    const accept = acceptOf(header);
    const admitted = (['json', 'events', 'page'] as const).filter((kind) => accept[kind]);
    expect(admitted.join(' ')).toBe(kinds);
  });

  test('16 KB of commas are read in no time', () => {
    expect(acceptOf(`${','.repeat(16_384)}*/*`).json).toBe(true);
  });
});

test.each([
  ['application/json', true],
  ['Application/JSON ; charset="UTF-8"', true],
  ['application/json, text/plain', false],
  ['text/plain; application/json', false],
  ['application/json5', false],
  ['', false],
  [undefined, false],
])('a body of "%s" is JSON: %s', (type, expected) => {
  expect(isJson(type)).toBe(expected);
});
