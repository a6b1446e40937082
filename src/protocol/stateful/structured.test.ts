import { expect, test } from 'vitest';
import { isWrapped, plainProperties, wrapSchema, wrapValue } from './structured.ts';

test('everything but an object schema is wrapped', () => {
  const schemas = [{ type: 'object' }, { type: 'array' }, {}, { type: ['object', 'null'] }, { anyOf: [] }];
  expect(schemas.map(isWrapped)).toEqual([false, true, true, true, true]);
});

test('a wrapped schema is an object with the one member "result"', () => {
  expect(wrapSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' })).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { result: { type: 'string' } },
    required: ['result'],
  });
});

test('references into the schema move with it; data and foreign references do not', () => {
  const schema = {
    anyOf: [{ $ref: '#/$defs/node' }, { $ref: '#' }, { $ref: '#anchor' }, { $dynamicRef: '#/$defs/node' }],
    $defs: { node: { properties: { next: { $ref: '#/$defs/node' } }, const: { $ref: '#/a' }, default: ['#/x'] } },
    enum: [{ $ref: '#/a' }],
  };
  expect(wrapSchema(schema)['properties']).toEqual({
    result: {
      anyOf: [
        { $ref: '#/properties/result/$defs/node' },
        { $ref: '#/properties/result' },
        { $ref: '#anchor' },
        { $dynamicRef: '#/properties/result/$defs/node' },
      ],
      $defs: {
        node: {
          properties: { next: { $ref: '#/properties/result/$defs/node' } },
          const: { $ref: '#/a' },
          default: ['#/x'],
        },
      },
      enum: [{ $ref: '#/a' }],
    },
  });
});

test('properties that are called like keywords are properties', () => {
  const schema = { type: 'array', items: { properties: { enum: { $ref: '#/$defs/a' }, $ref: { type: 'string' } } } };
  expect(wrapSchema(schema)['properties']).toEqual({
    result: {
      type: 'array',
      items: { properties: { enum: { $ref: '#/properties/result/$defs/a' }, $ref: { type: 'string' } } },
    },
  });
});

test('a schema with an $id keeps its references: they are relative to itself', () => {
  const schema = { $id: 'https://example.com/a', type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: {} } };
  expect(wrapSchema(schema)['properties']).toEqual({ result: schema });
});

test('a value is wrapped as its schema is, and without a schema if it is no object', () => {
  expect(wrapValue([1], { type: 'array' })).toEqual({ result: [1] });
  expect(wrapValue({ a: 1 }, { anyOf: [] })).toEqual({ result: { a: 1 } });
  expect(wrapValue({ a: 1 }, { type: 'object' })).toEqual({ a: 1 });
  expect([null, 0, false, [], 'x'].map((value) => wrapValue(value, undefined))).toEqual(
    [null, 0, false, [], 'x'].map((result) => ({ result })),
  );
  expect(wrapValue({ a: 1 }, undefined)).toEqual({ a: 1 });
});

test('properties that are true or false become objects', () => {
  const schema = { type: 'object', properties: { a: true, b: false, c: { type: 'string' }, __proto__x: true } };
  expect(plainProperties(schema)['properties']).toEqual({
    a: {},
    b: { not: {} },
    c: { type: 'string' },
    __proto__x: {},
  });
  const plain = { type: 'object', properties: { a: {} } };
  expect(plainProperties(plain)).toBe(plain);
});
