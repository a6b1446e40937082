import { expect, test } from 'vitest';
import { patternFault } from '../redos/redos.ts';
import { readSchema, type SchemaFault } from './read-schema.ts';

function faultOf(schema: unknown): SchemaFault | undefined {
  const read = readSchema(schema, patternFault);
  return 'fault' in read ? read.fault : undefined;
}

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });

test.each([
  ['an empty schema', {}],
  ['a schema of every kind of keyword', object({ a: { type: ['string', 'null'], minLength: 0 }, b: { items: true } })],
  ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
  ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#' }],
  ['draft-07 over https without a fragment', { $schema: 'https://json-schema.org/draft-07/schema' }],
  ['draft-06', { $schema: 'http://json-schema.org/draft-06/schema#' }],
  ['draft-07 items in an array', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{}, {}] }],
  ['draft-07 dependencies', { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { a: ['b'], c: {} } }],
  ['unknown keywords', { 'x-mine': 5, nullable: true }],
  ['a property called type', object({ type: { type: 'string' }, properties: { type: 'number' } })],
  ['data that looks like a broken schema', { enum: [{ type: 5 }], const: { $ref: 'http://x' }, default: { type: 5 } }],
])('%s is accepted', (_, schema) => {
  expect(faultOf(schema)).toBeUndefined();
});

test.each([
  ['draft-04', 'http://json-schema.org/draft-04/schema#'],
  ['2019-09', 'https://json-schema.org/draft/2019-09/schema'],
  ['a made-up dialect', 'https://example.com/schema'],
])('%s is a dialect that is not supported', (_, $schema) => {
  expect(faultOf({ $schema })).toEqual({
    path: '/$schema',
    message: expect.stringMatching(/^dialect not supported/),
  });
});

test.each<[string, unknown, string]>([
  ['a schema that is no object', 5, ''],
  ['an array', [], ''],
  ['a boolean at the root', true, ''],
  ['an unknown type', object({ a: { type: 'str' } }), '/properties/a/type'],
  ['an empty list of types', { type: [] }, '/type'],
  ['properties in an array', { properties: [] }, '/properties'],
  ['a property that is no schema', object({ 'a/b': 5 }), '/properties/a~1b'],
  ['required as a boolean', object({ a: { required: true } }), '/properties/a/required'],
  ['required of numbers', { required: [1] }, '/required'],
  ['an enum that is no array', { enum: 'a' }, '/enum'],
  ['a minimum in quotes', { minimum: '1' }, '/minimum'],
  ['exclusiveMinimum of draft-04', { exclusiveMinimum: true }, '/exclusiveMinimum'],
  ['a negative length', { minLength: -1 }, '/minLength'],
  ['half an item', { maxItems: 1.5 }, '/maxItems'],
  ['a multiple of 0', { multipleOf: 0 }, '/multipleOf'],
  ['uniqueItems in quotes', { uniqueItems: 'true' }, '/uniqueItems'],
  ['anyOf without an array', { anyOf: {} }, '/anyOf'],
  ['a number in allOf', { allOf: [{}, 5] }, '/allOf/1'],
  ['a description that is no string', { description: {} }, '/description'],
  ['dependentRequired of strings', { dependentRequired: { a: 'b' } }, '/dependentRequired'],
  ['dependencies of numbers', { dependencies: { a: [1] } }, '/dependencies/a'],
  ['a pattern with nested quantifiers', { pattern: '(a+)+' }, '/pattern'],
  ['such a pattern for names', { patternProperties: { '(a+)+': {} } }, '/patternProperties/(a+)+'],
  ['an array of items in 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', items: [] }, '/items'],
])('%s is a fault with its path', (_, schema, path) => {
  expect(faultOf(schema)?.path).toBe(path);
});

test.each([
  ['the root', object({ a: { $ref: '#' } })],
  ['$defs', object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: {} } })],
  ['definitions', object({ a: { $ref: '#/definitions/x%20y' } }, { definitions: { 'x y': {} } })],
  ['a property', object({ a: {}, b: { $ref: '#/properties/a' } })],
  ['an anchor', object({ a: { $ref: '#x' } }, { $defs: { x: { $anchor: 'x' } } })],
  ['a draft-07 anchor', object({ a: { $ref: '#x' } }, { definitions: { x: { $id: '#x' } } })],
  [
    'an $id in the document',
    object({ a: { $ref: 'item' } }, { $id: 'https://x.example/root', $defs: { i: { $id: 'item' } } }),
  ],
  [
    'its own absolute $id',
    object({ a: { $ref: 'https://x.example/root#/$defs/i' } }, { $id: 'https://x.example/root', $defs: { i: {} } }),
  ],
  ['a dynamic anchor', object({ a: { $dynamicRef: '#node' } }, { $dynamicAnchor: 'node' })],
  ['a boolean', object({ a: { $ref: '#/$defs/never' } }, { $defs: { never: false } })],
  [
    'a place under an unknown keyword',
    object({ a: { $ref: '#/components/x' } }, { components: { x: { type: 'string' } } }),
  ],
])('a reference to %s is accepted', (_, schema) => {
  expect(faultOf(schema)).toBeUndefined();
});

test.each([
  'https://example.com/schema.json',
  '//example.com/x',
  'other.json',
  'http://169.254.169.254/',
  'file:///etc/passwd',
])('the external $ref %s is refused', ($ref) => {
  expect(faultOf(object({ a: { $ref } }))).toEqual({
    path: '/properties/a/$ref',
    message: expect.stringMatching(/external/),
  });
});

test.each(['#/$defs/missing', '#missing', '#/properties/toString', '#/__proto__', '#/type', '#/%zz'])(
  'the reference %s has no target',
  ($ref) => {
    expect(faultOf(object({ a: { $ref } }))?.message).toMatch(/no target/);
  },
);

test('the target of a reference is checked, also under an unknown keyword', () => {
  const schema = object({ a: { $ref: '#/components/x' } }, { components: { x: { type: 5 } } });
  expect(faultOf(schema)?.path).toBe('/components/x/type');
});

test.each([
  ['itself', { $ref: '#' }],
  ['itself through allOf', { allOf: [{ $ref: '#' }] }],
  ['each other', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } } }],
])('a reference that leads only to %s is refused', (_, schema) => {
  expect(faultOf(schema)?.message).toMatch(/cycle/);
});

test('in draft-07 an $id beside a $ref changes nothing', () => {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  const a = { $id: 'https://x.example/elsewhere', $ref: '#/definitions/a' };
  expect(faultOf(object({ a }, { $schema, definitions: { a: {} } }))).toBeUndefined();
});

test('a reference back through a property is allowed recursion', () => {
  expect(faultOf(object({ next: { $ref: '#' }, all: { items: { $ref: '#' } } }))).toBeUndefined();
});

test('a very long chain of references is refused', () => {
  const $defs = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]));
  expect(faultOf({ $ref: '#/$defs/d0', $defs: { ...$defs, d5000: {} } })?.message).toMatch(/cycle/);
});

const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) });

test('a schema may be nested 32 schemas deep and no deeper', () => {
  expect(faultOf(nested(32))).toBeUndefined();
  expect(faultOf(nested(33))?.message).toMatch(/32/);
  expect(faultOf(JSON.parse(`${'{"items":'.repeat(5000)}{}${'}'.repeat(5000)}`))?.message).toMatch(/32/);
});

test('a schema may have 10,000 subschemas and no more', () => {
  expect(faultOf({ anyOf: Array(9_999).fill({}) })).toBeUndefined();
  expect(faultOf({ anyOf: Array(10_000).fill({}) })?.message).toMatch(/10000/);
});

test('an object that contains itself is refused', () => {
  const schema: Record<string, unknown> = {};
  Object.assign(schema, { items: schema, not: schema, properties: { a: schema, b: schema } });
  expect(faultOf(schema)).toBeDefined();
});

test('many costly patterns are refused', () => {
  const anyOf = Array.from({ length: 300 }, (_, i) => ({ pattern: `(${'a?'.repeat(100)}${i})*` }));
  const start = performance.now();
  expect(faultOf({ anyOf })).toBeDefined();
  expect(performance.now() - start).toBeLessThan(3000);
});

test('a fault does not contain a long value', () => {
  const long = 'x'.repeat(100_000);
  for (const schema of [
    { $schema: long },
    { type: long },
    { $ref: long },
    { pattern: long },
    { [long]: 1, properties: { [long]: 5 } },
  ]) {
    expect(JSON.stringify(faultOf(schema)).length).toBeLessThan(600);
  }
});
