import { expect, test } from 'vitest';
import { readSchema } from '../read/read-schema.ts';
import { patternFault } from '../redos/redos.ts';
import { toNormalForm } from './engine-schema.ts';

const draft07 = 'http://json-schema.org/draft-07/schema#';
const draft06 = 'http://json-schema.org/draft-06/schema#';

function normal(schema: object) {
  const read = readSchema(schema, patternFault);
  if ('fault' in read) throw new Error(read.fault.message);
  const { $schema, ...rest } = toNormalForm(read.schema).schema;
  expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
  return rest;
}

test('annotations are removed, validation keywords stay', () => {
  expect(normal({ title: 't', description: 'd', default: 1, type: 'integer', minimum: 1, nullable: true })).toEqual({
    type: 'integer',
    minimum: 1,
  });
});

test('an array of items becomes prefixItems', () => {
  expect(normal({ $schema: draft07, items: [{ type: 'string' }], additionalItems: false })).toEqual({
    prefixItems: [{ type: 'string' }],
    items: false,
  });
});

test('additionalItems beside a single items schema has no effect', () => {
  expect(normal({ $schema: draft07, items: {}, additionalItems: false })).toEqual({ items: {} });
});

test('dependencies become dependentRequired and dependentSchemas', () => {
  expect(normal({ $schema: draft07, dependencies: { a: ['b'], c: { required: ['d'] } } })).toEqual({
    dependentRequired: { a: ['b'] },
    dependentSchemas: { c: { required: ['d'] } },
  });
});

test('in draft-07 keywords beside a $ref have no effect', () => {
  const schema = { definitions: { x: { type: 'string' } }, $ref: '#/definitions/x', type: 'number' };
  expect(normal({ $schema: draft07, ...schema })).toEqual({ $ref: '#/$defs/0', $defs: { 0: { type: 'string' } } });
  expect(normal(schema)).toMatchObject({ $ref: '#/$defs/0', type: 'number' });
});

test('draft-06 has no if', () => {
  expect(normal({ $schema: draft06, if: {}, else: false })).toEqual({});
  expect(normal({ $schema: draft07, if: {}, else: false })).toEqual({ if: {}, else: false });
});

test('every reference is # or #/$defs/n', () => {
  const schema = {
    $id: 'https://x.example/root',
    properties: {
      a: { $ref: '#' },
      b: { $ref: '#anchor' },
      c: { $ref: 'item#/properties/d' },
      d: { $dynamicRef: '#node' },
    },
    $defs: {
      deep: { $anchor: 'anchor', items: { $ref: '#/$defs/never' } },
      item: { $id: 'item', properties: { d: { type: 'null' } } },
      never: false,
      node: { $dynamicAnchor: 'node', type: 'string' },
    },
  };
  expect(normal(schema)).toEqual({
    properties: { a: { $ref: '#' }, b: { $ref: '#/$defs/0' }, c: { $ref: '#/$defs/1' }, d: { $ref: '#/$defs/2' } },
    $defs: { 0: { items: { $ref: '#/$defs/3' } }, 1: { type: 'null' }, 2: { type: 'string' }, 3: { not: {} } },
  });
});

test('a property may be named $ref', () => {
  expect(normal({ properties: { $ref: { type: 'string' }, items: { type: 'array' } } })).toEqual({
    properties: { $ref: { type: 'string' }, items: { type: 'array' } },
  });
});

test('patterns are compiled, without the u flag if they are invalid with it', () => {
  expect(normal({ pattern: '^\\p{L}$' })).toEqual({ pattern: /^\p{L}$/u });
  expect(normal({ pattern: '^[\\w-.]$' })).toEqual({ pattern: /^[\w-.]$/ });
});

test('format is kept', () => {
  expect(normal({ format: 'email' })).toEqual({ format: 'email' });
});

test('additionalItems, dependencies, uniqueItems and $recursiveRef are rewritten or removed', () => {
  const all = { additionalItems: false, dependencies: { a: ['b'] }, uniqueItems: true, items: [{}] };
  const schema = { ...all, properties: { inner: all }, definitions: { named: { ...all, $recursiveRef: '#' } } };
  for (const $schema of [draft06, draft07, undefined]) {
    const written = JSON.stringify(
      normal({ ...($schema && { $schema }), ...schema, allOf: [{ $ref: '#/definitions/named' }] }),
    );
    expect(written).toContain('inner');
    expect(written).not.toMatch(/additionalItems|dependencies|uniqueItems|recursive/);
  }
});
