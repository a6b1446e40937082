import { describe, expect, test } from 'vitest';
import { decodeResult, encodeRequest } from './client.ts';

const client = { info: { name: 'c', version: '1' }, capabilities: { roots: {} }, logLevel: undefined };

test('every request carries version, client info and capabilities in _meta', () => {
  expect(encodeRequest({ name: 't', _meta: { progressToken: 1, traceparent: '00-1' } }, client, '2026-07-28')).toEqual({
    name: 't',
    _meta: {
      progressToken: 1,
      traceparent: '00-1',
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    },
  });
  const loud = { ...client, logLevel: 'error' } as const;
  expect(encodeRequest(undefined, loud, '2026-07-28')._meta).toMatchObject({
    'io.modelcontextprotocol/logLevel': 'error',
  });
});

test('extensions are declared in the revisions that have them, and settings in capabilities override theirs', () => {
  const declared = (id: string, revisions?: readonly ['2025-11-25']) => ({
    definition: { id, ...(revisions ? { revisions } : {}) },
    settings: { of: id },
  });
  const extensions = [declared('a.b/new'), declared('a.b/old', ['2025-11-25']), declared('a.b/both')];
  const capabilities = { roots: {}, extensions: { 'a.b/both': {}, 'a.b/mine': {} } };
  const encoded = encodeRequest({}, { ...client, capabilities, extensions }, '2026-07-28');
  expect(encoded).toMatchObject({
    _meta: {
      'io.modelcontextprotocol/clientCapabilities': {
        roots: {},
        extensions: { 'a.b/new': { of: 'a.b/new' }, 'a.b/both': {}, 'a.b/mine': {} },
      },
    },
  });
  expect(JSON.stringify(encoded)).not.toContain('a.b/old');
});

describe('a result', () => {
  test('without a resultType is complete', () => {
    expect(decodeResult('tools/list', { tools: [] })).toEqual({ type: 'complete', result: { tools: [] } });
  });

  test('may have inputRequests, requestState or both', () => {
    const inputRequests = JSON.parse('{"a":{"method":"roots/list"},"__proto__":{"method":"roots/list"}}') as object;
    expect(decodeResult('tools/call', { resultType: 'input_required', inputRequests, requestState: 's' })).toEqual({
      type: 'input_required',
      requests: new Map([
        ['a', { method: 'roots/list' }],
        ['__proto__', { method: 'roots/list' }],
      ]),
      state: 's',
    });
    expect(decodeResult('tools/call', { resultType: 'input_required', requestState: '' })).toMatchObject({ state: '' });
  });

  test('of another type is returned with its resultType', () => {
    expect(decodeResult('tools/call', { resultType: 'task', taskId: 't' })).toEqual({
      type: 'other',
      resultType: 'task',
      result: { resultType: 'task', taskId: 't' },
    });
  });

  test('input_required is malformed for methods that cannot require input', () => {
    expect(() => decodeResult('tools/list', { resultType: 'input_required', requestState: 's' })).toThrow(
      'The response to tools/list requires input, which is not allowed for that method',
    );
  });

  test.each<unknown>([
    null,
    [],
    5,
    { resultType: null },
    { resultType: 'input_required', inputRequests: [] },
    { resultType: 'input_required', inputRequests: { a: 5 } },
    { resultType: 'input_required', inputRequests: { a: { params: {} } } },
    { resultType: 'input_required', inputRequests: { a: { method: 'x', params: [] } } },
    { resultType: 'input_required', requestState: 5 },
    // At least one of the two must be there.
    { resultType: 'input_required' },
  ])('%j is malformed', (result) => {
    expect(() => decodeResult('tools/call', result)).toThrow(expect.objectContaining({ code: 'malformed' }));
  });
});
