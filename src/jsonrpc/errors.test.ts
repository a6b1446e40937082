import { expect, test } from 'vitest';
import { ConnectionError, isMcpError, McpError, ParseError, RpcError } from './errors.ts';
import { shorten } from './printable.ts';

test('isMcpError recognizes errors of every copy of this package', () => {
  const foreign = Object.assign(new Error('x'), { [Symbol.for('mcpp.error')]: true, code: -32602 });
  for (const error of [RpcError.internal(), new ConnectionError('closed', 'x'), new ParseError('TooLong', 'x')]) {
    expect(isMcpError(error)).toBe(true);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toBeInstanceOf(Error);
  }
  expect(isMcpError(foreign)).toBe(true);
  for (const other of [new Error('x'), undefined, null, 'x', 5, {}]) expect(isMcpError(other)).toBe(false);
});

test('an RpcError is sent with its code, message and data', () => {
  const error = new RpcError(-32099, 'm', { a: 1 });
  expect(error.toObject()).toEqual({ code: -32099, message: 'm', data: { a: 1 } });
  expect(RpcError.from(error.toObject())).toMatchObject({ code: -32099, message: 'm', data: { a: 1 } });
  expect(Object.keys(RpcError.invalidParams('m').toObject())).toEqual(['code', 'message']);
});

test('the cause of an error is not sent', () => {
  const error = new RpcError(1, 'm', undefined, { cause: new Error('secret'), reason: 'r' });
  expect(JSON.stringify(error.toObject())).toBe('{"code":1,"message":"m"}');
  expect(error.cause).toBeInstanceOf(Error);
});

test('a received name is cut in an error message', () => {
  expect(RpcError.methodNotFound('x'.repeat(100_000)).message.length).toBeLessThan(200);
  expect(shorten('abc', 3)).toBe('abc');
  expect(shorten('abcd', 3)).toBe('abc...');
});
