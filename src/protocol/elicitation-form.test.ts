import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkedSchema } from '../schema/check/checked-schema.ts';
import { elicitForm } from './elicitation-form.ts';
import type { JsonSchemaObject } from './model/tools.ts';

const object = (properties: object, more: object = {}): JsonSchemaObject => ({ type: 'object', properties, ...more });
const ofZod = (schema: z.ZodType): unknown => elicitForm(checkedSchema(schema, 'x', 'input').jsonSchema);
const field = (schema: unknown): unknown => elicitForm(object({ a: schema })).properties['a'];

test('an object schema of zod becomes a form', () => {
  const schema = z.object({
    name: z.string().min(2).max(20).describe('Your name'),
    mail: z.email(),
    site: z.url().optional(),
    born: z.iso.date(),
    age: z.int().min(0).max(150),
    height: z.number().default(1.7),
    sure: z.boolean().meta({ title: 'Are you sure?' }),
    color: z.enum(['red', 'green']),
    one: z.literal('x'),
    tags: z.array(z.enum(['a', 'b'])).max(2),
  });
  expect(ofZod(schema)).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 20, description: 'Your name' },
      mail: { type: 'string', format: 'email' },
      site: { type: 'string', format: 'uri' },
      born: { type: 'string', format: 'date' },
      age: { type: 'integer', minimum: 0, maximum: 150 },
      height: { type: 'number', default: 1.7 },
      sure: { type: 'boolean', title: 'Are you sure?' },
      color: { type: 'string', enum: ['red', 'green'] },
      one: { type: 'string', enum: ['x'] },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
    },
    required: ['name', 'mail', 'born', 'age', 'sure', 'color', 'one', 'tags'],
  });
});

describe('a field', () => {
  test.each<[string, object, object]>([
    ['drops what only narrows it', { type: 'string', pattern: '^a', format: 'uuid' }, { type: 'string' }],
    [
      'keeps the names of its values',
      { type: 'string', enum: ['a'], enumNames: ['A'] },
      { type: 'string', enum: ['a'], enumNames: ['A'] },
    ],
    [
      'has its choices with titles',
      { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] },
      {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'A' },
          { const: 'b', title: 'b' },
        ],
      },
    ],
    [
      'takes anyOf for oneOf',
      { anyOf: [{ const: 'a', title: 'A' }] },
      { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
    ],
    [
      'may be several choices with titles',
      { type: 'array', items: { oneOf: [{ const: 'a', title: 'A' }] }, minItems: 1 },
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, minItems: 1 },
    ],
    [
      'does not show the limits of the number type',
      { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
      { type: 'integer' },
    ],
    ['keeps false and zero as defaults', { type: 'boolean', default: false }, { type: 'boolean', default: false }],
  ])('%s', (_, schema, expected) => {
    expect(field(schema)).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ['an object', { type: 'object', properties: {} }],
    ['an array of anything', { type: 'array', items: { type: 'string' } }],
    ['an array of numbers to choose from', { type: 'array', items: { enum: [1, 2] } }],
    ['a choice of numbers', { enum: [1, 2] }],
    ['null', { type: 'null' }],
    ['a string or null', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['several types', { type: ['string', 'number'] }],
    ['nothing at all', {}],
    ['true', true],
    ['a reference', { $ref: '#/$defs/a' }],
  ])('cannot be %s, and the error names the field', (_, schema) => {
    expect(() => elicitForm(object({ fine: { type: 'string' }, odd: schema }))).toThrow(/"odd"/);
  });
});

test('a schema that is not an object with properties is refused', () => {
  expect(() => elicitForm({ type: 'string' })).toThrow(TypeError);
  expect(() => elicitForm({ type: 'object' })).toThrow(TypeError);
  expect(elicitForm(object({}))).toEqual({ type: 'object', properties: {} });
});

test('a field may have any name', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonSchemaObject;
  const form = elicitForm(schema);
  expect(Object.keys(form.properties)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(form.properties)).toBe(Object.prototype);
});
