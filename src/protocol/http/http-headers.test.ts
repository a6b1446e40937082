import { expect, test } from 'vitest';
import { paramHeaders } from './http-headers.ts';

const tool = (properties: unknown, rest: object = {}) => ({ type: 'object', properties, ...rest });
const headersOf = (schema: unknown) => {
  const read = paramHeaders(schema);
  return 'headers' in read ? [...read.headers] : read;
};
const faultOf = (schema: unknown) => {
  const read = paramHeaders(schema);
  return 'fault' in read ? read.fault : undefined;
};

test('a schema without annotations has no headers', () => {
  expect(headersOf(tool({ a: { type: 'string' } }))).toEqual([]);
  expect(headersOf(undefined)).toEqual([]);
});

test('an annotated property gives the header name as written and its path', () => {
  expect(headersOf(tool({ region: { type: 'string', 'x-mcp-header': 'Region' } }))).toEqual([['Region', ['region']]]);
});

test('a nested property is reachable through properties', () => {
  const schema = tool({ a: tool({ 'b.c': { type: 'integer', 'x-mcp-header': 'N' } }) });
  expect(headersOf(schema)).toEqual([['N', ['a', 'b.c']]]);
});

test.each(['string', 'integer', 'boolean'])('type %s may be a header', (type) => {
  expect(headersOf(tool({ a: { type, 'x-mcp-header': 'A' } }))).toHaveLength(1);
});

test.each([['number'], ['object'], ['array'], [undefined], [['string', 'null']]])(
  'type %s may not be a header',
  (type) => {
    expect(faultOf(tool({ a: { type, 'x-mcp-header': 'A' } }))).toMatch(/string, integer or boolean/);
  },
);

test.each(['', 'a b', 'a:b', 'é', 'a\r\nX: y', 5, null, '\u0000'])('%j is not a header name', (name) => {
  expect(faultOf(tool({ a: { type: 'string', 'x-mcp-header': name } }))).toMatch(/HTTP token/);
});

test('two header names that differ only in case are a fault', () => {
  const schema = tool({ a: { type: 'string', 'x-mcp-header': 'Id' }, b: { type: 'string', 'x-mcp-header': 'ID' } });
  expect(faultOf(schema)).toMatch(/another property/);
});

const annotated = { type: 'string', 'x-mcp-header': 'A' };

test.each([
  ['items', tool({ a: { type: 'array', items: annotated } })],
  ['an item of prefixItems', tool({ a: { type: 'array', prefixItems: [annotated] } })],
  ['properties below items', tool({ a: { type: 'array', items: tool({ b: annotated }) } })],
  ['oneOf', tool({ a: { oneOf: [annotated] } })],
  ['anyOf at the root', tool({}, { anyOf: [tool({ a: annotated })] })],
  ['allOf', tool({}, { allOf: [tool({ a: annotated })] })],
  ['not', tool({ a: { not: annotated } })],
  ['if', tool({}, { if: tool({ a: annotated }) })],
  ['else', tool({}, { else: tool({ a: annotated }) })],
  ['$defs', tool({}, { $defs: { a: annotated } })],
  ['definitions', tool({}, { definitions: { a: annotated } })],
  ['patternProperties', tool({}, { patternProperties: { a: annotated } })],
  ['additionalProperties', tool({}, { additionalProperties: annotated })],
  ['an unknown keyword', tool({}, { 'x-other': { deep: [annotated] } })],
  ['the root', { ...tool({}), 'x-mcp-header': 'A' }],
])('an annotation in %s is a fault', (_, schema) => {
  expect(faultOf(schema)).toMatch(/only allowed/);
});

test('a property that is called x-mcp-header is not an annotation', () => {
  expect(headersOf(tool({ 'x-mcp-header': { type: 'string' } }))).toEqual([]);
  expect(headersOf(tool({ 'x-mcp-header': { type: 'string', 'x-mcp-header': 'A' } }))).toEqual([
    ['A', ['x-mcp-header']],
  ]);
});

test('a property that is called properties or default is read like any other', () => {
  expect(headersOf(tool({ properties: annotated }))).toEqual([['A', ['properties']]]);
  expect(headersOf(tool({ default: annotated }))).toEqual([['A', ['default']]]);
});

test('data that looks like an annotation is data', () => {
  expect(
    headersOf(tool({ a: { type: 'object', default: { 'x-mcp-header': '' }, enum: [annotated], const: annotated } })),
  ).toEqual([]);
});

test('properties with names of Object.prototype are read like any other', () => {
  expect(
    headersOf(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","x-mcp-header":"P"}}}')),
  ).toEqual([['P', ['__proto__']]]);
});

test('a schema that contains itself is a fault, not a hang', () => {
  const schema: Record<string, unknown> = {};
  schema.items = schema;
  schema.not = schema;
  expect(faultOf(schema)).toMatch(/too deep/);
});
