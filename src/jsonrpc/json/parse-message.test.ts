import { describe, expect, test } from 'vitest';
import { ParseError, type ParseErrorCode } from '../errors.ts';
import { checkMessage, parseMessage, parsePayload } from './parse-message.ts';

function refusal(text: string, maxBatch?: number): ParseError {
  const payload = parsePayload(text, maxBatch);
  if (payload instanceof ParseError) return payload;
  throw new Error(`was not refused: ${text}`);
}

const call = (members: string): string => `{"jsonrpc":"2.0",${members}}`;

describe('an invalid message has a code, its id if that is readable, and an error for its sender', () => {
  test.each<[string, ParseErrorCode, number, string | number | undefined]>([
    ['', 'MalformedJson', -32700, undefined],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"', 'MalformedJson', -32700, undefined],
    ["{'jsonrpc':'2.0'}", 'MalformedJson', -32700, undefined],
    ['{"a":NaN}', 'MalformedJson', -32700, undefined],
    ['{} {}', 'MalformedJson', -32700, undefined],
    ['null', 'NotAnObject', -32600, undefined],
    ['5', 'NotAnObject', -32600, undefined],
    ['"ping"', 'NotAnObject', -32600, undefined],
    ['true', 'NotAnObject', -32600, undefined],
    ['{"id":1,"method":"ping"}', 'MissingJsonrpc', -32600, 1],
    ['{}', 'MissingJsonrpc', -32600, undefined],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 'InvalidJsonrpcVersion', -32600, 1],
    ['{"jsonrpc":2.0,"id":"a","method":"ping"}', 'InvalidJsonrpcVersion', -32600, 'a'],
    ['{"jsonrpc":null,"id":1,"method":"ping"}', 'InvalidJsonrpcVersion', -32600, 1],
    [call('"id":7'), 'MissingMethod', -32600, 7],
    [call('"params":{}'), 'MissingMethod', -32600, undefined],
    [call('"id":7,"method":5'), 'InvalidMethodType', -32600, 7],
    [call('"id":7,"method":null'), 'InvalidMethodType', -32600, 7],
    [call('"id":7,"method":["ping"]'), 'InvalidMethodType', -32600, 7],
    [call('"id":7,"method":"ping","params":"x"'), 'InvalidParamsType', -32600, 7],
    [call('"id":7,"method":"ping","params":null'), 'InvalidParamsType', -32600, 7],
    [call('"id":7,"method":"ping","params":5'), 'InvalidParamsType', -32600, 7],
    [call('"id":7,"method":"ping","params":true'), 'InvalidParamsType', -32600, 7],
    [call('"id":7,"method":"ping","result":{}'), 'MethodAndResult', -32600, 7],
    [call('"id":7,"method":"ping","error":{"code":1,"message":""}'), 'MethodAndResult', -32600, 7],
    ['[]', 'EmptyBatch', -32600, undefined],
  ])('%s', (text, code, number, id) => {
    const refused = refusal(text);
    expect([refused.code, refused.toRpcError().code, refused.id, refused.isResponse]).toEqual([
      code,
      number,
      id,
      false,
    ]);
  });
});

describe('an invalid response is marked as a response, so that it gets no error response', () => {
  test.each<[string, ParseErrorCode, string | number | undefined]>([
    [call('"result":{}'), 'MissingId', undefined],
    [call('"id":null,"result":{}'), 'InvalidIdType', undefined],
    [call('"id":1.5,"result":{}'), 'InvalidIdType', undefined],
    [call('"id":3,"result":5'), 'InvalidResultType', 3],
    [call('"id":3,"result":null'), 'InvalidResultType', 3],
    [call('"id":3,"result":[]'), 'InvalidResultType', 3],
    [call('"id":3,"result":{},"error":{"code":1,"message":""}'), 'ResultAndError', 3],
    [call('"id":3,"error":null'), 'InvalidErrorObject', 3],
    [call('"id":3,"error":{"code":"1","message":""}'), 'InvalidErrorObject', 3],
    [call('"id":3,"error":{"code":1.5,"message":""}'), 'InvalidErrorObject', 3],
    [call('"id":3,"error":{"code":1}'), 'InvalidErrorObject', 3],
    [call('"id":true,"error":{"code":1,"message":""}'), 'InvalidIdType', undefined],
    ['{"id":3,"result":{}}', 'MissingJsonrpc', 3],
  ])('%s', (text, code, id) => {
    const refused = refusal(text);
    expect([refused.code, refused.id, refused.isResponse]).toEqual([code, id, true]);
  });
});

describe('a message with a method and no id is a notification, whatever its params are', () => {
  test.each(['"x"', 'null', '5', 'true'])('params %s', (params) => {
    expect(parsePayload(call(`"method":"a","params":${params}`))).toEqual({ jsonrpc: '2.0', method: 'a', params: [] });
  });

  test('params with a number beyond the range of a double', () => {
    const refused = refusal(call('"method":"a","params":{"n":1e999}'));
    expect([refused.code, refused.isNotification]).toEqual(['NumberOutOfRange', true]);
    expect(refusal(call('"id":1,"method":"a","params":{"n":1e999}')).isNotification).toBe(false);
  });
});

describe('ids', () => {
  test.each(['0', '-1', '""', '"0"', '9007199254740991', '-9007199254740991', '"__proto__"', '"constructor"'])(
    '%s is an id, and keeps its type',
    (id) => {
      expect(parsePayload(call(`"id":${id},"method":"ping"`))).toEqual({
        jsonrpc: '2.0',
        id: JSON.parse(id),
        method: 'ping',
      });
    },
  );

  test.each(['null', 'true', 'false', '{}', '{"a":1}', '[1]', '1.5', '9007199254740992', '1e999', '-1e999'])(
    '%s is none',
    (id) => {
      const refused = refusal(call(`"id":${id},"method":"ping"`));
      expect([refused.code, refused.id, refused.toRpcError().code]).toEqual(['InvalidIdType', undefined, -32600]);
    },
  );

  test('a string of 1024 characters is an id, a longer one is not', () => {
    expect(parsePayload(call(`"id":"${'x'.repeat(1024)}","method":"ping"`))).not.toBeInstanceOf(Error);
    expect(refusal(call(`"id":"${'x'.repeat(1025)}","method":"ping"`)).code).toBe('InvalidIdType');
    expect(refusal(call(`"id":"${'x'.repeat(1025)}","result":{}`)).code).toBe('InvalidIdType');
  });

  test('the id of an error response may be missing or null', () => {
    expect(parsePayload(call('"error":{"code":-32700,"message":"x"}'))).not.toBeInstanceOf(Error);
    expect(parsePayload(call('"id":null,"error":{"code":-32700,"message":"x"}'))).not.toBeInstanceOf(Error);
  });
});

describe('members', () => {
  test.each([
    '{"JSONRPC":"2.0","jsonrpc":"2.0","ID":7,"Method":"tools/list"}',
    '{"jsonrpc":"2.0","id":7,"METHOD":"tools/list"}',
    '{"jsonrpc":"2.0","id":7,"methoď":"tools/list"}',
  ])('%s has no method: only the exact names count', (text) => {
    expect(refusal(text).code).toBe('MissingMethod');
  });

  test('inherited members do not count', () => {
    const inherited = Object.create({ jsonrpc: '2.0', id: 1, method: 'ping' }) as object;
    expect(checkMessage(inherited)).toMatchObject({ code: 'MissingJsonrpc', id: undefined });
    expect(refusal('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}').code).toBe('MissingJsonrpc');
    expect(refusal('{"jsonrpc":"2.0","__proto__":{"id":1,"method":"ping"}}').code).toBe('MissingMethod');
    expect(refusal('{"jsonrpc":"2.0","constructor":{"prototype":{"method":"ping"}}}').code).toBe('MissingMethod');
    expect(({} as Record<string, unknown>)['method']).toBeUndefined();
  });

  test('the last of two equal keys counts', () => {
    expect(parsePayload(call('"id":1,"id":2,"method":"a","method":"b"'))).toEqual({
      jsonrpc: '2.0',
      id: 2,
      method: 'b',
    });
  });

  test('that are unknown are kept', () => {
    expect(parsePayload(call('"id":1,"method":"a","extra":{"b":1}'))).toMatchObject({ extra: { b: 1 } });
  });
});

describe('batches', () => {
  test('have an entry for each message, also for unreadable ones', () => {
    const payload = parsePayload(`[${call('"id":1,"method":"a"')},5,${call('"method":"b"')},[]]`) as unknown[];
    expect(payload).toHaveLength(4);
    expect(payload[0]).toMatchObject({ id: 1 });
    expect(payload[1]).toMatchObject({ code: 'NotAnObject' });
    expect(payload[2]).toMatchObject({ method: 'b' });
    expect(payload[3]).toMatchObject({ code: 'NotAnObject' });
  });

  test('have at most 100 messages by default', () => {
    expect(parsePayload(`[${Array(100).fill('1').join(',')}]`)).toHaveLength(100);
    expect(refusal(`[${Array(101).fill('1').join(',')}]`).code).toBe('BatchTooLarge');
    expect(refusal('[1,2,3]', 2).code).toBe('BatchTooLarge');
  });

  test('are refused by parseMessage', () => {
    expect(parseMessage(`[${call('"method":"a"')}]`)).toMatchObject({ code: 'BatchNotSupported' });
    expect(parseMessage(call('"method":"a"'))).toMatchObject({ method: 'a' });
  });
});

test.each([
  'SECRET',
  '{"SECRET',
  '{"jsonrpc":"SECRET","id":1}',
  call('"id":["SECRET"],"method":"ping"'),
  call('"id":1,"method":["SECRET"]'),
  call('"id":1,"method":"ping","params":"SECRET"'),
  call('"id":1,"error":"SECRET"'),
])('the error message does not contain the text: %s', (text) => {
  const refused = refusal(text);
  expect(refused.message + JSON.stringify(refused.toRpcError().toObject())).not.toContain('SECRET');
});

test('a hundred thousand brackets cause no exception', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(parsePayload(call(`"id":1,"method":"a","params":{"x":${deep}}`))).toBeDefined();
  expect(refusal('['.repeat(100_000)).code).toBe('MalformedJson');
});
