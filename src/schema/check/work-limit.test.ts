import { expect, test } from 'vitest';
import { readSchema } from '../read/read-schema.ts';
import { patternFault } from '../redos/redos.ts';
import { compile, interpret } from './engine.ts';

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function named<T>(count: number, prefix: string, make: (index: number) => T): Record<string, T> {
  return Object.fromEntries(many(count, (index) => [`${prefix}${index}`, make(index)]));
}

function received(schema: object) {
  const read = readSchema(schema);
  if ('fault' in read) throw new Error(`${read.fault.path}: ${read.fault.message}`);
  return read.schema;
}

const wide = named(5000, 'p', () => 1);

const check = (schema: object, value: unknown) => interpret(received(schema))(value);

test.each<[string, object, unknown]>([
  ['objects in an enum', { items: { enum: many(8000, (a) => ({ a })) } }, many(40_000, () => ({ a: 7999 }))],
  ['a large value against small objects', { enum: many(8000, (a) => ({ a })) }, named(50_000, 'k', () => 1)],
  ['consts side by side', { items: { anyOf: many(5000, (i) => ({ const: i })) } }, many(50_000, () => 4999)],
  [
    'large names beside additionalProperties',
    { allOf: many(4000, () => ({ additionalProperties: {} })) },
    named(20_000, 'k', () => 1),
  ],
  [
    'rules for every name',
    { propertyNames: { allOf: many(100, () => ({ maxLength: 10 })) } },
    named(50_000, 'k', () => 1),
  ],
  ['required names', { items: { required: many(5000, (i) => `p${i}`) } }, many(5000, () => wide)],
  [
    'unevaluated members',
    { allOf: many(3000, () => ({ additionalProperties: true })), unevaluatedProperties: false },
    named(50_000, 'k', () => 1),
  ],
  ['unevaluated items', { allOf: many(3000, () => ({ items: true })), unevaluatedItems: false }, many(50_000, () => 1)],
  ['contains side by side', { allOf: many(5000, () => ({ contains: false, minContains: 0 })) }, many(50_000, () => 1)],
  ['uniqueItems side by side', { allOf: many(3000, () => ({ uniqueItems: true })) }, many(20_000, (a) => ({ a }))],
  ['long texts that must differ', { allOf: many(3000, () => ({ uniqueItems: true })) }, ['x'.repeat(100_000)]],
  ['lengths that must be counted', { allOf: many(5000, () => ({ minLength: 100_000 })) }, 'a'.repeat(100_000)],
])('%s are not checked', (_, schema, value) => {
  expect(check(schema, value)).toEqual({ ok: true, value, unchecked: expect.any(String) });
});

test.each<[string, object, unknown]>([
  ['an enum of 300 texts', { items: { enum: many(300, (i) => `v${i}`) } }, many(1000, () => 'v299')],
  [
    'objects of 200 properties',
    {
      items: {
        properties: named(200, 'p', () => ({ type: 'number' })),
        required: many(200, (i) => `p${i}`),
        additionalProperties: false,
      },
    },
    many(150, () => named(200, 'p', (i) => i)),
  ],
  [
    'a table of 30,000 rows',
    { items: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
    many(30_000, () => ({ a: 'x' })),
  ],
  ['80,000 different numbers', { uniqueItems: true }, many(80_000, (i) => i)],
  ['a thousand large constants', { items: { const: many(100, (i) => i) } }, many(500, () => many(100, (i) => i))],
])('%s are checked', (_, schema, value) => {
  expect(check(schema, value)).toEqual({ ok: true, value });
});

test('40,000 additional names beside 9,000 properties are found', () => {
  const schema = { properties: named(9000, 'p', () => true), additionalProperties: false };
  const value = named(40_000, 'q', () => 1);
  expect(check(schema, value)).toEqual({
    ok: false,
    problems: [{ path: '', message: expect.stringMatching(/^must not have additional properties: 'q0', .* more$/) }],
  });
});

test('interpreted and compiled schemas agree, for random schemas and values', () => {
  let seed = 7;
  const below = (limit: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % limit;
  };
  const of = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const value = (depth: number): unknown => {
    const kind = below(depth > 0 ? 7 : 5);
    if (kind < 5) return of([null, true, 0, 1, 2.5, -3, '', 'a', 'ab', 'abc', '😀']);
    if (kind === 5) return many(below(4), () => value(depth - 1));
    return Object.fromEntries(many(below(4), () => [of(['a', 'b', 'c', 'ab']), value(depth - 1)]));
  };
  const schema = (depth: number): unknown => {
    if (depth === 0) return of([true, false, {}, { type: 'string' }, { type: ['integer', 'null'] }, { minimum: 1 }]);
    const inner = (): unknown => schema(depth - 1);
    const keywords: Record<string, () => unknown> = {
      type: () => of(['object', 'array', 'string', ['number', 'object']]),
      const: () => value(1),
      enum: () => many(3, () => value(1)),
      minLength: () => below(3),
      maxLength: () => below(3),
      multipleOf: () => of([2, 0.5]),
      exclusiveMaximum: () => below(3),
      minItems: () => below(3),
      uniqueItems: () => true,
      contains: inner,
      items: inner,
      prefixItems: () => [inner(), inner()],
      maxProperties: () => below(3),
      required: () => [of(['a', 'b'])],
      properties: () => ({ a: inner(), ab: inner() }),
      additionalProperties: inner,
      propertyNames: () => ({ maxLength: 1 }),
      dependentRequired: () => ({ a: ['b'] }),
      dependentSchemas: () => ({ b: inner() }),
      not: inner,
      allOf: () => [inner(), inner()],
      anyOf: () => [inner(), inner()],
      oneOf: () => [inner(), inner()],
      if: inner,
      else: inner,
    };
    return Object.fromEntries(
      many(1 + below(3), () => of([...Object.entries(keywords), ['then', inner] as const])).map(([name, make]) => [
        name,
        make(),
      ]),
    );
  };
  for (let round = 0; round < 400; round++) {
    const one = { allOf: [schema(2)] };
    const read = readSchema(one, patternFault);
    if ('fault' in read) continue;
    const [compiled, interpreted] = [compile(read.schema), interpret(read.schema)];
    for (let nth = 0; nth < 10; nth++) {
      const given = value(2);
      expect([one, given, interpreted(given).ok]).toEqual([one, given, compiled(given).ok]);
    }
  }
});
