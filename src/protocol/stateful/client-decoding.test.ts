import { describe, expect, test } from 'vitest';
import { revisionNamed as clientRevision } from '../client-revisions.ts';
import { METHODS } from '../methods.ts';
import type { Decoded, EncodingHints, Revision, ServerInfo } from '../revision.ts';
import { revisionNamed } from '../revision-of-message.ts';
import { unwrapResult } from './client.ts';

const STATEFUL = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
const WITHOUT = ['2024-11-05', '2025-03-26'] as const;
const OBJECTS = ['2025-06-18', '2025-11-25'] as const;

const host: ServerInfo = {
  info: { name: 's', version: '1' },
  instructions: undefined,
  capabilities: {},
  declaredIn: () => ({}),
  subscriptions: new Map(),
  versions: [...STATEFUL],
  cache: { ttlMs: 0, cacheScope: 'private' },
  watch: () => () => {},
};

function revision(version: string): Revision {
  return revisionNamed(version);
}

/** Returns the encoded value after a JSON round trip. */
function sent(version: string, method: string, result: object, about: EncodingHints = {}): Record<string, unknown> {
  return JSON.parse(JSON.stringify(revision(version).encodeResult(METHODS.get(method), result, about, host)));
}

function received(version: string, method: string, result: unknown): unknown {
  const decoded = clientRevision(version)?.decodeResult(method, result) as Decoded;
  return decoded.type === 'complete' ? decoded.result : decoded;
}

const text = (value: string): object => ({ type: 'text', text: value });
const tree = {
  anyOf: [{ type: 'null' }, { $ref: '#/$defs/node' }],
  $defs: { node: { type: 'object', properties: { next: { $ref: '#' } } } },
};

const VALUES: [what: string, value: unknown, outputSchema: Record<string, unknown>][] = [
  ['an object', { sum: 3 }, { type: 'object', properties: { sum: { type: 'number' } } }],
  ['an object of a schema that is not one of objects', { next: null }, tree],
  ['an object with the one member "result"', { result: [1] }, { type: 'object' }],
  ['an array', [2, 3, 5], { type: 'array', items: { type: 'integer' } }],
  ['a string', '{"a":1}', { type: 'string' }],
  ['a number', 0, { type: 'number' }],
  ['null', null, tree],
  ['false', false, { type: 'boolean' }],
];

describe.each(STATEFUL)('in %s', (version) => {
  test.each(VALUES)(
    '%s comes back as it was given, with and without a schema',
    (_, structuredContent, outputSchema) => {
      const content = [text('Words'), text(JSON.stringify(structuredContent))];
      const given = { content, structuredContent, 'com.example/a': 1, _meta: { 'com.example/b': 2 } };
      for (const about of [{}, { outputSchema }]) {
        expect(received(version, 'tools/call', sent(version, 'tools/call', given, about))).toStrictEqual(given);
      }
      const bare = { content, structuredContent };
      expect(received(version, 'tools/call', sent(version, 'tools/call', bare, { outputSchema }))).toStrictEqual(bare);
    },
  );

  test('structured content of an error comes back too, without matching the schema', () => {
    const given = { content: [text('No'), text('[1]')], structuredContent: [1], isError: true };
    const about = { outputSchema: { type: 'object' } };
    expect(received(version, 'tools/call', sent(version, 'tools/call', given, about))).toStrictEqual(given);
  });

  test('markers in the result of a handler are removed', () => {
    const _meta = { 'mcpp/wrappedResult': true, 'mcpp/structuredText': 0, 'com.example/a': 1 };
    const plain = { content: [text('5')], _meta };
    expect(sent(version, 'tools/call', plain)).toEqual({ content: [text('5')], _meta: { 'com.example/a': 1 } });
    const structured = { content: [text('{"result":5}')], structuredContent: { result: 5 }, _meta };
    expect(received(version, 'tools/call', sent(version, 'tools/call', structured))).toEqual({
      ...structured,
      _meta: { 'com.example/a': 1 },
    });
    const tool = { name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'object' }, _meta };
    const { tools } = sent(version, 'tools/list', { tools: [tool] }) as { tools: [Record<string, object>] };
    expect(Object.keys(tools[0]['_meta'] ?? {})).not.toContain('mcpp/wrappedResult');
  });
});

describe.each(WITHOUT)('a revision without structured content (%s)', (version) => {
  test('adds a text block with the JSON if there is none, and a marker with its index', () => {
    expect(sent(version, 'tools/call', { content: [text('{ "a": 1 }')], structuredContent: { a: 1 } })).toEqual({
      content: [text('{ "a": 1 }'), text('{"a":1}')],
      _meta: { 'mcpp/structuredText': 1 },
    });
    expect(
      sent(version, 'tools/call', { content: [text('{"a":1}'), text('More')], structuredContent: { a: 1 } }),
    ).toEqual({ content: [text('{"a":1}'), text('More')], _meta: { 'mcpp/structuredText': 0 } });
  });

  test('sends no structured content for values that JSON does not have', () => {
    expect(sent(version, 'tools/call', { content: [], structuredContent: () => 1 })).toEqual({ content: [] });
  });

  test.each<[string, object]>([
    ['leads nowhere', { content: [text('1')], _meta: { 'mcpp/structuredText': 1 } }],
    ['is negative', { content: [text('1')], _meta: { 'mcpp/structuredText': -1 } }],
    ['is no index', { content: [text('1')], _meta: { 'mcpp/structuredText': '0' } }],
    ['is the name of a member', { content: [text('1')], _meta: { 'mcpp/structuredText': 'length' } }],
    ['leads to no text', { content: [{ type: 'image', text: '1' }], _meta: { 'mcpp/structuredText': 0 } }],
    ['leads to a text that is none', { content: [{ type: 'text', text: 1 }], _meta: { 'mcpp/structuredText': 0 } }],
    ['leads to null', { content: [null], _meta: { 'mcpp/structuredText': 0 } }],
    ['leads to what is no JSON', { content: [text('{')], _meta: { 'mcpp/structuredText': 0 } }],
    ['leads to an empty text', { content: [text('')], _meta: { 'mcpp/structuredText': 0 } }],
    [
      'stands beside structured content',
      { content: [text('1')], structuredContent: 2, _meta: { 'mcpp/structuredText': 0 } },
    ],
    ['stands beside no content', { content: 5, _meta: { 'mcpp/structuredText': 0 } }],
    [
      'leads to 100,000 levels',
      { content: [text('['.repeat(1e5) + ']'.repeat(1e5))], _meta: { 'mcpp/structuredText': 0 } },
    ],
    ['leads to 100,001 elements', { content: [text(`[${'0,'.repeat(1e5)}0]`)], _meta: { 'mcpp/structuredText': 0 } }],
  ])('a marker that %s is left unchanged', (_, result) => {
    expect(received(version, 'tools/call', result)).toBe(result);
  });
});

describe.each(OBJECTS)('a revision with structured content that must be an object (%s)', (version) => {
  test('marks a wrapped result', () => {
    expect(sent(version, 'tools/call', { content: [], structuredContent: [1] })).toEqual({
      content: [],
      structuredContent: { result: [1] },
      _meta: { 'mcpp/wrappedResult': true },
    });
    expect(sent(version, 'tools/call', { content: [], structuredContent: { a: 1 } })).not.toHaveProperty('_meta');
  });

  test.each(VALUES)('the schema of %s comes back as it was', (_, __, outputSchema) => {
    const tool = { name: 't', inputSchema: { type: 'object' }, outputSchema, 'com.example/a': 1 };
    const result = { tools: [tool, { ...tool, _meta: { 'com.example/b': 2 } }], nextCursor: 'c', 'com.example/c': 3 };
    expect(received(version, 'tools/list', sent(version, 'tools/list', result))).toStrictEqual(result);
  });

  test.each<[string, object]>([
    ['nothing', {}],
    ['an object without "result"', { structuredContent: { a: 1 } }],
    ['more than "result"', { structuredContent: { result: 1, a: 2 } }],
    ['an array', { structuredContent: [1] }],
    ['a "result" that is inherited', { structuredContent: JSON.parse('{"__proto__":{"result":1}}') }],
  ])('a marker on %s is left unchanged', (_, rest) => {
    const result = { content: [], ...rest, _meta: { 'mcpp/wrappedResult': true } };
    expect(received(version, 'tools/call', result)).toBe(result);
  });

  test.each([1, 'true', null, {}])('the marker value %j is ignored', (says) => {
    const result = { content: [], structuredContent: { result: 1 }, _meta: { 'mcpp/wrappedResult': says } };
    expect(received(version, 'tools/call', result)).toBe(result);
  });
});

test('results without a marker are unchanged', () => {
  const results = [
    {},
    { _meta: null },
    { tools: null },
    { tools: [null, 5, { name: 't', outputSchema: { type: 'object', properties: { result: {} } } }] },
    { structuredContent: { result: 1 }, _meta: { 'com.example/a': 1 } },
  ];
  for (const method of ['tools/call', 'tools/list', 'prompts/get', 'constructor']) {
    for (const result of results) expect(unwrapResult(method, result)).toBe(result);
  }
});

test('a marked tool whose schema is not wrapped is unchanged, others are unwrapped', () => {
  const _meta = { 'mcpp/wrappedResult': true };
  let deep: unknown = {};
  for (let level = 0; level < 100_000; level++) deep = { not: deep };
  const odd = [
    { name: 'a', _meta },
    { name: 'b', outputSchema: { type: 'array' }, _meta },
    { name: 'c', outputSchema: { type: 'object', properties: { result: deep } }, _meta },
  ];
  const good = { name: 'd', outputSchema: { type: 'object', properties: { result: { $ref: '#/x' } } }, _meta };
  const { tools } = unwrapResult('tools/list', { tools: [...odd, good] }) as { tools: unknown[] };
  expect(tools.slice(0, 3).map((tool, at) => tool === odd[at])).toEqual([true, true, true]);
  expect(tools[3]).toEqual({ name: 'd', outputSchema: { $ref: '#/x' } });
});

test('decoders do not modify their arguments', () => {
  const _meta = Object.freeze({ 'mcpp/wrappedResult': true, 'com.example/a': 1 });
  const result = Object.freeze({ structuredContent: Object.freeze({ result: [1] }), _meta });
  expect(unwrapResult('tools/call', result)).toEqual({ structuredContent: [1], _meta: { 'com.example/a': 1 } });
  expect(result._meta).toEqual({ 'mcpp/wrappedResult': true, 'com.example/a': 1 });
});
