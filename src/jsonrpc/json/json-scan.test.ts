import { describe, expect, test } from 'vitest';
import { ParseError } from '../errors.ts';
import type { Message } from '../message.ts';
import { jsonLimitFault, peekEnvelope } from './json-scan.ts';
import { JSON_LIMITS, receivedLimits } from './message-limits.ts';
import { readPayload, readText } from './message-reader.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const fault = (text: string, limits = { depth: 3, elements: 5 }): string | undefined =>
  jsonLimitFault(bytes(text), limits)?.code;
const call = (args: string): string =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":${args}}}`;

function refusal(payload: unknown): ParseError {
  if (payload instanceof ParseError) return payload;
  throw new Error('The payload was not refused');
}

describe.each([
  ['bytes', (text: string, limits = JSON_LIMITS) => readPayload(bytes(text), limits)],
  ['text', (text: string, limits = JSON_LIMITS) => readText(text, limits)],
])('read from %s', (_, read) => {
  test('a short message is checked only against limits below the defaults', () => {
    const deep = call(`${'['.repeat(70)}${']'.repeat(70)}`);
    expect(read(deep)).not.toBeInstanceOf(ParseError);
    expect(refusal(read(deep, { ...JSON_LIMITS, depth: 8 }))).toMatchObject({ code: 'TooDeep', id: 7 });
    expect(refusal(read(call('[1,2,3,4,5,6]'), { depth: 64, elements: 5 })).code).toBe('TooManyElements');
  });

  test('a long message is checked against all limits', () => {
    const deep = call(`["${'a'.repeat(5000)}",${'['.repeat(70)}${']'.repeat(70)}]`);
    expect(refusal(read(deep)).code).toBe('TooDeep');
  });

  test('a byte order mark is ignored, and the error of a malformed response has its id', () => {
    expect(read(`\ufeff${call('{}')}`)).toMatchObject({ id: 7, method: 'tools/call' });
    expect(refusal(read('{"jsonrpc":"2.0","id":7,"result":{'))).toMatchObject({ id: 7, isResponse: true });
  });
});

describe('the structure of a message', () => {
  test('is counted as levels of brackets, the message included', () => {
    expect(fault('[[[]]]')).toBeUndefined();
    expect(fault('[[[[]]]]')).toBe('TooDeep');
    expect(fault('{"a":{"b":{"c":{}}}}')).toBe('TooDeep');
    expect(fault('[[]],[[]]')).toBeUndefined();
  });

  test('is counted as commas and opening brackets', () => {
    expect(fault('[1,2,3,4,5]')).toBeUndefined();
    expect(fault('[1,2,3,4,5,6]')).toBe('TooManyElements');
    expect(fault('{"a":1,"b":2,"c":3,"d":4,"e":5}')).toBeUndefined();
    expect(fault('{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}')).toBe('TooManyElements');
  });

  test('does not include the content of strings', () => {
    expect(fault('["[[[[[[,,,,,,,,"]')).toBeUndefined();
    expect(fault('["\\"[[[[[["]')).toBeUndefined();
    expect(fault('["\\\\",[[[]]]]')).toBe('TooDeep');
    expect(fault('["\\\\\\"[[[["]')).toBeUndefined();
  });

  test.each([0, 1, 2, 3])('does not include the content of a long string that ends in %i backslashes', (count) => {
    for (let length = 250; length < 262; length++) {
      const end = '\\'.repeat(count);
      const closed = count % 2 === 0;
      expect(fault(`["${'x'.repeat(length)}${end}"${closed ? '' : '"'},[[[]]]]`)).toBe('TooDeep');
      expect(fault(`["${'x'.repeat(length)}${end}\\"[[[["]`)).toBe(closed ? undefined : 'MalformedJson');
    }
  });

  test('with unclosed brackets is malformed, not too deep', () => {
    expect(fault('[[[[')).toBe('MalformedJson');
    expect(fault('[1,2,3,4,5,6,7]]')).toBe('MalformedJson');
    expect(fault('[[[[]]]],"')).toBe('MalformedJson');
    expect(fault('[[[[]]]],"\\')).toBe('MalformedJson');
  });
});

describe('a payload', () => {
  test('is read from UTF-8', () => {
    expect(readPayload(bytes(call('{"text":"aé世界😀"}')))).toMatchObject({
      params: { arguments: { text: 'aé世界😀' } },
    });
  });

  test('may begin with a byte order mark', () => {
    const message = readPayload(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes(call('{}'))])) as Message;
    expect(message).toMatchObject({ id: 7 });
  });

  test.each([
    ['FF FE', [0x22, 0xff, 0xfe, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a lone surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut-off sequence', [0x22, 0xe4, 0xb8]],
  ])('with %s is malformed', (_what, wrong) => {
    expect(refusal(readPayload(new Uint8Array(wrong))).code).toBe('MalformedJson');
  });

  test('with NUL bytes is malformed', () => {
    expect(refusal(readPayload(new Uint8Array(4096))).code).toBe('MalformedJson');
    expect(refusal(readPayload(bytes('{"jsonrpc":"2.0","id":1,"method":"tools/list\u0000"}'))).code).toBe(
      'MalformedJson',
    );
  });

  test('100,000 levels deep is refused with its id', () => {
    const arrays = refusal(readPayload(bytes(call(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))));
    expect(arrays).toMatchObject({ code: 'TooDeep', id: 7 });
    const objects = refusal(readPayload(bytes(call(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`))));
    expect(objects.toRpcError()).toMatchObject({
      code: -32600,
      message: 'Invalid request: more than 64 levels of nesting',
    });
  });

  test('of a million opening brackets is malformed', () => {
    expect(refusal(readPayload(bytes('['.repeat(1_000_000)))).toRpcError().code).toBe(-32700);
  });

  test('of 1.9 million numbers or 330,000 keys is refused with its id, quickly', () => {
    const numbers = bytes(call(`[${'1,'.repeat(1_900_000)}1]`));
    const keys = bytes(call(`{${Array.from({ length: 330_000 }, (_, i) => `"k${i}":1`).join(',')}}`));
    const start = performance.now();
    expect(refusal(readPayload(numbers))).toMatchObject({ code: 'TooManyElements', id: 7 });
    expect(refusal(readPayload(keys))).toMatchObject({ code: 'TooManyElements', id: 7 });
    expect(performance.now() - start).toBeLessThan(600);
  });

  test('of 4 MB in one string is accepted', () => {
    const text = 'a"\\'.repeat(1_400_000);
    expect(readPayload(bytes(call(JSON.stringify({ text }))))).toMatchObject({ params: { arguments: { text } } });
  });

  test('shorter than 4 KiB is not scanned', () => {
    expect(readPayload(bytes(call(`${'['.repeat(100)}${']'.repeat(100)}`)))).toMatchObject({ id: 7 });
    expect(JSON_LIMITS).toEqual({ depth: 64, elements: 100_000 });
  });
});

describe('a message that a client receives', () => {
  const limits = receivedLimits(16 * 1024 * 1024, 'maxResponseBytes');
  const response = (result: string): Uint8Array => bytes(`{"jsonrpc":"2.0","id":7,"result":{"a":${result}}}`);
  const list = (count: number, element: (at: number) => string): string =>
    `[${Array.from({ length: count }, (_, at) => element(at)).join(',')}]`;

  test.each<[string, number, (at: number) => string]>([
    ['numbers', 2_000_000, () => '12345'],
    ['strings', 340_000, (at) => `"value ${at}"`],
    ['objects with the same members', 115_000, (at) => `{"id":${at},"name":"n"}`],
    ['objects with members of their own', 56_000, (at) => `{"k${at}":1}`],
  ])('may have as many %s as fit into its bytes', (_what, count, element) => {
    expect(jsonLimitFault(response(list(count, element)), limits)).toBeUndefined();
  });

  test.each<[string, number, (at: number) => string]>([
    ['arrays', 300_000, () => '[]'],
    ['short strings', 500_000, (at) => `"${at.toString(36)}"`],
    ['names', 200_000, (at) => `{"k${at}":1}`],
  ])('is refused if parsing its %s would take too long', (_what, count, element) => {
    expect(jsonLimitFault(response(list(count, element)), limits)).toMatchObject({
      code: 'TooManyElements',
      id: 7,
      isResponse: true,
      message: 'Invalid response: its elements count for more than 16777216 bytes (option "maxResponseBytes")',
    });
  });

  test('may be nested 64 levels deep', () => {
    const deep = response(`${'['.repeat(70)}${']'.repeat(70)}`);
    expect(jsonLimitFault(deep, limits)?.toConnectionError()).toMatchObject({ code: 'too-large' });
  });
});

describe('the envelope of a message that is not parsed', () => {
  test.each<[string, string | number | undefined, boolean]>([
    ['{"jsonrpc":"2.0","id":7,"method":"x"}', 7, false],
    ['{"id" : "a b","method":"x","params":{"id":8}}', 'a b', false],
    ['{"method":"x","params":{"result":1},"id":-3}', -3, false],
    ['{"id":1,"id":2,"method":"x"}', 2, false],
    ['{"id":5,"result":{"method":1', 5, true],
    ['{"error":{"code":1},"id":5}', 5, true],
    ['{"jsonrpc":"2.0","result":{"id":5', undefined, true],
    ['{"method":"id","params":{}}', undefined, false],
    ['{"x":"id","y":5}', undefined, false],
    ['[{"id":1,"method":"x"}]', undefined, false],
    ['{"id":1.5,"method":"x"}', undefined, false],
    ['{"id":9007199254740993,"method":"x"}', undefined, false],
    ['{"id":null,"method":"x"}', undefined, false],
    ['{"id":"\\u0041","method":"x"}', undefined, false],
    ['{"id":12', undefined, false],
    ['{"id', undefined, false],
    ['', undefined, false],
  ])('%s', (text, id, isResponse) => {
    expect(peekEnvelope(bytes(text))).toMatchObject({ id, isResponse });
  });

  test.each<[string, boolean]>([
    ['{"jsonrpc":"2.0","method":"x","params":{"id":7}}', true],
    ['{"jsonrpc":"2.0","method":"x"}', true],
    ['{"jsonrpc":"2.0","method":"x","id":7}', false],
    ['{"jsonrpc":"2.0","method":"x","id":null}', false],
    ['{"jsonrpc":"2.0","method":"x","result":{}}', false],
    ['{"jsonrpc":"2.0","method":"x","params":{', false],
    ['{"jsonrpc":"2.0","params":{}}', false],
    ['[{"jsonrpc":"2.0","method":"x"}]', false],
  ])('%s is a notification: %s', (text, isNotification) => {
    expect(peekEnvelope(bytes(text)).isNotification).toBe(isNotification);
  });
});
