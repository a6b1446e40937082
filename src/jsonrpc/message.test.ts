import { expect, test } from 'vitest';
import {
  EncodedJson,
  isErrorResponse,
  isNotification,
  isObject,
  isRequest,
  isResponse,
  type Message,
  serialize,
  serializeLine,
} from './message.ts';

const request: Message = { jsonrpc: '2.0', id: 0, method: 'ping' };
const notification: Message = { jsonrpc: '2.0', method: 'notifications/initialized' };
const result: Message = { jsonrpc: '2.0', id: '', result: {} };
const failure: Message = { jsonrpc: '2.0', error: { code: -32700, message: 'x' } };

test('the members of a message determine its kind', () => {
  const kinds = [request, notification, result, failure].map((one) => [
    isRequest(one),
    isNotification(one),
    isResponse(one),
    isErrorResponse(one),
  ]);
  expect(kinds).toEqual([
    [true, false, false, false],
    [false, true, false, false],
    [false, false, true, false],
    [false, false, true, true],
  ]);
});

test('a message is serialized as one line, also with line feeds in its strings', () => {
  const text = 'a\nb\r\nc\u2028d\u2029';
  const line = serializeLine({ jsonrpc: '2.0', id: 'x\ny', method: text, params: { [text]: text } });
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(line).not.toContain('\r');
  expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: 'x\ny', method: text, params: { [text]: text } });
});

test('the text of an EncodedJson result is sent unchanged', () => {
  const message = { jsonrpc: '2.0', id: 'a"b', result: new EncodedJson('{"tools": [1]}') } as const;
  expect(serialize(message)).toBe('{"jsonrpc":"2.0","id":"a\\"b","result":{"tools": [1]}}');
  expect(serialize([message, request])).toBe(`[${serialize(message)},{"jsonrpc":"2.0","id":0,"method":"ping"}]`);
  expect(JSON.parse(JSON.stringify(message))).toEqual({ jsonrpc: '2.0', id: 'a"b', result: { tools: [1] } });
});

test('serializing a value that JSON cannot represent throws', () => {
  expect(() => serialize({ jsonrpc: '2.0', id: 1, result: { a: 1n } })).toThrow(TypeError);
});

test('an object is neither null nor an array', () => {
  expect([{}, Object.create(null), null, [], 'x', undefined].map(isObject)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
