import { expect, test } from 'vitest';
import {
  addMarker,
  isWrapped,
  isWrappedValue,
  plainProperties,
  stripMarkers,
  unwrapSchema,
  wrapSchema,
} from './wrap-structured.ts';

test('every schema except object schemas is wrapped', () => {
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

test('properties with names of keywords are properties', () => {
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
  const inside = { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: schema } };
  expect(wrapSchema(inside)['properties']).toEqual({
    result: { anyOf: [{ $ref: '#/properties/result/$defs/a' }], $defs: { a: schema } },
  });
});

test('references below an $id that is only a fragment move with the schema', () => {
  const schema = { $id: '#list', type: 'array', items: { $ref: '#/definitions/a' }, definitions: { a: {} } };
  expect(wrapSchema(schema)['properties']).toMatchObject({
    result: { items: { $ref: '#/properties/result/definitions/a' } },
  });
});

test.each<[string, Record<string, unknown>]>([
  ['of anything', {}],
  ['with a dialect', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' }],
  ['that refers to itself', { type: 'array', items: { $ref: '#' } }],
  ['that has a property called result', { anyOf: [{ properties: { result: { $ref: '#/anyOf/0' } } }] }],
  ['whose references look wrapped', { anyOf: [{ $ref: '#/properties/result' }], properties: { result: true } }],
  ['with an $id', { $id: 'https://example.com/a', items: { $ref: '#/$defs/a' }, $defs: { a: { $ref: '#' } } }],
  ['with __proto__ for a name', JSON.parse('{"properties":{"__proto__":{"$ref":"#/properties/a"},"a":true}}')],
])('a schema %s comes back as it was', (_, schema) => {
  expect(unwrapSchema(wrapSchema(schema))).toStrictEqual(schema);
});

test.each([undefined, null, 'x', [], {}, { type: 'object' }, { type: 'object', properties: { result: true } }])(
  '%j is no wrapped schema',
  (schema) => {
    expect(unwrapSchema(schema)).toBeUndefined();
  },
);

test('markers are added to an existing _meta, and an _meta that only has markers is removed with them', () => {
  const own = { a: 1, _meta: { 'com.example/b': 2 } };
  const both = addMarker(own, 'mcpp/wrappedResult', true);
  expect(both).toEqual({ a: 1, _meta: { 'com.example/b': 2, 'mcpp/wrappedResult': true } });
  expect(stripMarkers(both)).toEqual(own);
  expect(stripMarkers(addMarker({ a: 1 }, 'mcpp/structuredText', 0))).toEqual({ a: 1 });
  expect(stripMarkers(own)).toBe(own);
});

test('a value is wrapped if its schema is, and without a schema if it is not an object', () => {
  expect(isWrappedValue([1], { type: 'array' })).toBe(true);
  expect(isWrappedValue({ a: 1 }, { anyOf: [] })).toBe(true);
  expect(isWrappedValue({ a: 1 }, { type: 'object' })).toBe(false);
  expect([null, 0, false, [], 'x'].map((value) => isWrappedValue(value, undefined))).toEqual(Array(5).fill(true));
  expect(isWrappedValue({ a: 1 }, undefined)).toBe(false);
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
