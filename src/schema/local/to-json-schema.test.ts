import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { toJsonSchema } from './to-json-schema.ts';

const schemaOf = (schema: unknown, direction: 'input' | 'output' = 'input') => {
  const converted = toJsonSchema(schema, direction);
  return 'jsonSchema' in converted ? converted.jsonSchema : converted;
};
const faultOf = (schema: unknown) => {
  const converted = toJsonSchema(schema, 'input');
  return 'fault' in converted ? converted.fault : undefined;
};

const expected = {
  type: 'object',
  properties: { name: { type: 'string', description: 'who' }, age: { type: 'number' } },
  required: ['name'],
};

test.each([
  ['zod', z.object({ name: z.string().describe('who'), age: z.number().optional() })],
  ['zod/mini', mini.object({ name: mini.string().check(mini.describe('who')), age: mini.optional(mini.number()) })],
  ['valibot', v.object({ name: v.pipe(v.string(), v.description('who')), age: v.optional(v.number()) })],
  ['arktype', type({ name: type.string.describe('who', 'self'), 'age?': 'number' })],
  ['TypeBox', Type.Object({ name: Type.String({ description: 'who' }), age: Type.Optional(Type.Number()) })],
  ['plain JSON Schema', expected],
])('a schema of %s becomes the same JSON Schema, without $schema', (vendor, schema) => {
  const written = JSON.parse(JSON.stringify(schemaOf(schema)));
  if (vendor === 'arktype') delete written.properties.name.description;
  const wanted =
    vendor === 'arktype' ? { ...expected, properties: { ...expected.properties, name: { type: 'string' } } } : expected;
  expect(written).toEqual(wanted);
});

test('a schema is converted once per direction', () => {
  const schema = z.object({ a: z.string().transform(Number) });
  expect(schemaOf(schema)).toBe(schemaOf(schema));
  expect(schemaOf(z.object({ a: z.string().default('x') }), 'input')).not.toHaveProperty('required');
  expect(schemaOf(z.object({ a: z.string().default('x') }), 'output')).toHaveProperty('required', ['a']);
});

test('the direction reaches zod/mini and valibot', () => {
  expect(schemaOf(mini.object({ a: mini._default(mini.string(), 'x') }), 'input')).not.toHaveProperty('required');
  expect(schemaOf(mini.object({ a: mini._default(mini.string(), 'x') }), 'output')).toHaveProperty('required', ['a']);
  const piped = v.object({ a: v.pipe(v.string(), v.transform(Number), v.number()) });
  expect(schemaOf(piped, 'input')).toHaveProperty('properties.a.type', 'string');
  expect(schemaOf(piped, 'output')).toHaveProperty('properties.a.type', 'number');
});

test('the output of z.toJSONSchema and toStandardJsonSchema is accepted', async () => {
  const { toStandardJsonSchema } = await import('@valibot/to-json-schema');
  const wanted = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  expect(schemaOf(mini.toJSONSchema(mini.object({ a: mini.string() })))).toEqual(wanted);
  expect(schemaOf(toStandardJsonSchema(v.object({ a: v.string() })))).toEqual(wanted);
});

test('the $schema of a raw schema stays', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { a: { items: [{}] } },
  };
  expect(schemaOf(schema)).toEqual(schema);
});

test('only JSON is sent', () => {
  const schema = {
    type: 'object',
    '~kind': 'Object',
    [Symbol('x')]: 1,
    title: undefined,
    'x-fn': () => 1,
    properties: {},
  };
  expect(Reflect.ownKeys(schemaOf(schema))).toEqual(['type', 'properties']);
});

test('properties and data may have any name', () => {
  const text = '{"type":"object","properties":{"~kind":{"type":"string"},"__proto__":{"default":{"~a":1}}}}';
  expect(JSON.stringify(schemaOf(JSON.parse(text)))).toBe(text);
});

test('a TypeBox tuple is converted to prefixItems', () => {
  expect(schemaOf(Type.Object({ at: Type.Tuple([Type.Number(), Type.Number()]) }))).toHaveProperty('properties.at', {
    type: 'array',
    prefixItems: [{ type: 'number' }, { type: 'number' }],
    items: false,
    minItems: 2,
  });
});

test('a TypeBox pattern may be a regular expression', () => {
  expect(schemaOf(Type.Object({ a: Type.String({ pattern: /^a/ }) }))).toHaveProperty('properties.a.pattern', '^a');
});

test.each([
  ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  [
    'a discriminated union',
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
  ],
  ['a union of zod/mini', mini.union([mini.object({ a: mini.string() }), mini.object({ b: mini.string() })])],
  ['a variant of valibot', v.variant('k', [v.object({ k: v.literal('a') }), v.object({ k: v.literal('b') })])],
  ['a union of arktype', type({ a: 'string' }).or({ b: 'string' })],
  ['an intersection', z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }).catchall(z.string()))],
  ['a schema with an id', z.object({ a: z.string() }).meta({ id: 'Mine' })],
])('%s of objects gets the type object at the root', (_, schema) => {
  expect(schemaOf(schema)).toHaveProperty('type', 'object');
});

test.each([
  ['a string', z.string()],
  ['a union with a string', z.union([z.object({}), z.string()])],
  ['anything', z.any()],
  ['a raw schema without a type', { properties: {} }],
  ['a raw union', { anyOf: [{ type: 'object' }] }],
  ['an array', { type: 'array' }],
])('%s is not an input schema, but an output schema', (_, schema) => {
  expect(faultOf(schema)).toEqual({ path: '/type', message: expect.stringMatching(/"object"/) });
  expect(toJsonSchema(schema, 'output')).toHaveProperty('jsonSchema');
});

test.each([
  ['zod', z.object({ a: z.object({ b: z.date() }) }), '/properties/a/properties/b'],
  ['zod/mini', mini.object({ a: mini.object({ b: mini.date() }) }), '/properties/a/properties/b'],
  ['valibot', v.object({ a: v.object({ b: v.date() }) }), '/properties/a/properties/b'],
  ['arktype', type({ a: { b: 'Date' } }), ''],
  ['arktype, a bigint', type({ a: 'bigint' }), ''],
])('a type that JSON cannot represent is a fault: %s', (_, schema, path) => {
  expect(faultOf(schema)).toEqual({ path, message: expect.stringMatching(/represented|converted/) });
});

test('the fault of a plain object of zod schemas says to wrap it', () => {
  expect(faultOf({ a: z.string() })).toEqual({ path: '/a', message: expect.stringMatching(/z\.object/) });
});

test.each([[undefined], [null], ['object'], [5], [[]], [() => ({})]])('%s is not a schema', (schema) => {
  expect(faultOf(schema)?.message).toMatch(/Standard Schema/);
});

test('the fault of a library without a converter names the library', () => {
  const schema = { '~standard': { version: 1, vendor: 'mine', validate: (value: unknown) => ({ value }) } };
  expect(faultOf(schema)?.message).toMatch(/^mine schemas/);
});

test('a schema that contains itself, or data that does, is a fault', () => {
  const schema: Record<string, unknown> = { type: 'object' };
  schema.properties = { a: schema };
  expect(faultOf(schema)?.message).toMatch(/contains itself/);
  const data: Record<string, unknown> = {};
  data.data = data;
  expect(faultOf({ type: 'object', default: data })).toEqual({ path: '/default', message: 'must be JSON' });
});
