import { describe, expect, test, vi } from 'vitest';
import { isMcpError, ParseError } from '../errors.ts';
import { MAX_UNREADABLE } from './message-limits.ts';
import { MessageReader } from './message-reader.ts';

const MESSAGE = '{"jsonrpc":"2.0","method":""}';

describe('text that begins with neither a brace nor a bracket', () => {
  test.each([
    ['x', 'MalformedJson'],
    ['  x', 'MalformedJson'],
    ['\ufeffx', 'MalformedJson'],
    [`x${MESSAGE}`, 'MalformedJson'],
    ['truth', 'MalformedJson'],
    ['""', 'NotAnObject'],
    [' null ', 'NotAnObject'],
    ['1', 'NotAnObject'],
  ])('is refused without parsing: %j', (text, code) => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(new MessageReader().read(text)).toMatchObject({ code });
    expect(new MessageReader().read(new TextEncoder().encode(text))).toMatchObject({ code });
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  test('may end in a response, whose id the error has', () => {
    const fault = new MessageReader().read('Loading... {"jsonrpc":"2.0","id":7,"result":{}}');
    expect(fault).toMatchObject({ code: 'MalformedJson', id: 7, isResponse: true });
  });
});

test('malformed JSON is parsed once', () => {
  const parse = vi.spyOn(JSON, 'parse');
  expect(new MessageReader().read('{"jsonrpc":"2.0","id":7,"result":{')).toMatchObject({ id: 7, isResponse: true });
  expect(parse).toHaveBeenCalledTimes(1);
  parse.mockRestore();
});

test('a ParseError is an error of this package without a stack trace', () => {
  const fault = new MessageReader().read('{}');
  expect(fault).toBeInstanceOf(ParseError);
  expect(fault).toBeInstanceOf(Error);
  expect(isMcpError(fault)).toBe(true);
  expect(String(fault)).toBe('ParseError: Invalid request: "jsonrpc" is missing');
  expect(fault).not.toHaveProperty('stack');
});

describe('unreadable messages in a row', () => {
  test('are counted, also those in a batch, until one is readable', () => {
    const reader = new MessageReader();
    for (const text of ['x', '{}', '[1,2]']) reader.read(text);
    expect(reader.unreadable).toBe(4);
    reader.read(`[1,${MESSAGE}]`);
    expect(reader.unreadable).toBe(5);
    reader.read(MESSAGE);
    expect(reader.unreadable).toBe(0);
  });

  test('are skipped after 1,000 if they are shorter than any message', () => {
    const reader = new MessageReader();
    for (let count = 0; count < MAX_UNREADABLE; count++) expect(reader.read('{x}')).toBeInstanceOf(ParseError);
    expect(reader.read('{x}')).toBeUndefined();
    expect(reader.read(`${MESSAGE.slice(0, -1)}]`)).toBeInstanceOf(ParseError);
    expect(reader.read(MESSAGE)).toEqual({ jsonrpc: '2.0', method: '' });
    expect(reader.read('{x}')).toBeInstanceOf(ParseError);
  });
});
