import { describe, expect, test } from 'vitest';
import { readSchema } from '../read/read-schema.ts';
import { compile } from './engine.ts';
import { plainSchema } from './plain-schema.ts';

const row = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: ['string', 'null'], title: 'Name' },
    state: { enum: ['on', 'off'] },
  },
  required: ['id'],
  additionalProperties: false,
};

describe('a plain schema accepts without the engine', () => {
  test.each<[string, object, unknown]>([
    ['an object', row, { id: 1, name: null, state: 'on' }],
    ['an array of objects', { type: 'array', items: row }, [{ id: 1 }, { id: 2, name: 'b' }]],
    ['additional members', { type: 'object', additionalProperties: { type: 'number' } }, { a: 1, b: 2.5 }],
    ['a value without a type', { properties: { a: { const: 1 } } }, { a: 1, b: [] }],
    ['a property called like one of Object.prototype', { properties: { toString: { type: 'string' } } }, {}],
  ])('%s', (_, schema, value) => {
    expect(plainSchema(schema)?.(value)).toBe(true);
  });
});

describe('the engine decides about', () => {
  test.each<[string, object, unknown]>([
    ['a wrong type', row, { id: 'x' }],
    ['a fraction for an integer', row, { id: 1.5 }],
    ['a missing member', row, { name: 'x' }],
    ['a member that is only inherited', { required: ['toString'] }, { a: 1 }],
    ['an additional member', row, { id: 1, more: 1 }],
    ['a value that is none of the options', row, { id: 1, state: 'away' }],
    ['a number that JSON does not have', { type: 'number' }, Number.NaN],
    ['more required names than the value has members', { required: ['a', 'b'] }, { a: 1 }],
  ])('%s', (_, schema, value) => {
    expect(plainSchema(schema)?.(value)).toBe(false);
  });

  test.each<[string, object]>([
    ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }],
    ['alternatives', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['a pattern of an item', { items: { pattern: 'a' } }],
    ['an option that is an object', { enum: [{}] }],
    ['a length', { properties: { a: { minLength: 1 } } }],
  ])('a schema with %s', (_, schema) => {
    expect(plainSchema(schema)).toBeUndefined();
  });
});

test('every accepted value matches the schema by the engine, and most matching values are accepted', () => {
  const values = [null, true, 0, 1, 2.5, 'a', 'b', [], [1], ['a', 2], {}, { a: 1 }, { a: 'a', b: 1 }, { b: [1], c: 2 }];
  const leaves = [true, false, {}, { type: 'string' }, { type: ['integer', 'null'] }, { enum: ['a', 1] }, { const: 1 }];
  const schemas = leaves.flatMap((leaf) => [
    { items: leaf },
    { type: 'array', items: leaf },
    { properties: { a: leaf }, additionalProperties: false },
    { type: 'object', properties: { a: leaf, b: { items: leaf } }, required: ['b'] },
    { required: ['a', 'a'], additionalProperties: leaf },
    { enum: ['a', 1, null], const: 1, ...Object(leaf) },
  ]);
  let accepted = 0;
  for (const schema of schemas) {
    const read = readSchema(schema);
    if ('fault' in read) throw new Error(read.fault.message);
    const [accepts, check] = [plainSchema(schema), compile(read.schema)];
    for (const value of values) {
      const isAccepted = accepts?.(value);
      expect([schema, value, isAccepted]).toEqual([schema, value, check(value).ok]);
      if (isAccepted) accepted++;
    }
  }
  expect(accepted).toBeGreaterThan(100);
});

test('the time does not grow with the number of required names', () => {
  const required = Array.from({ length: 1_000_000 }, () => 'a');
  const accepts = plainSchema({ items: { required } });
  let reads = 0;
  const item = new Proxy(
    { a: 1 },
    {
      getOwnPropertyDescriptor(target, name) {
        reads++;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    },
  );
  expect(accepts?.(Array.from({ length: 1000 }, () => item))).toBe(true);
  expect(reads).toBeLessThan(10_000);
});
