/** Patterns of received schemas are ignored: no value is refused that a complete validator accepts. */

// biome-ignore-all lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema

import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { readSchema } from '../read/read-schema.ts';
import { compile, interpret } from './engine.ts';

function accepts(schema: object): (value: unknown) => boolean {
  const read = readSchema(schema);
  if ('fault' in read) throw new Error(`${read.fault.path}: ${read.fault.message}`);
  const check = interpret(read.schema);
  return (value) => check(value).ok;
}

const letter = { pattern: '^a' };

test.each<[string, object, unknown]>([
  ['not', { not: letter }, 'b'],
  ['not, further down', { not: { properties: { x: letter } } }, { x: 'b' }],
  ['not, by reference', { $defs: { letter }, not: { $ref: '#/$defs/letter' } }, 'b'],
  ['oneOf', { oneOf: [letter, { type: 'string' }] }, 'b'],
  ['if with then', { if: letter, then: false }, 'b'],
  ['if with else', { if: letter, then: { type: 'number' }, else: { type: 'string' } }, 'b'],
  ['maxContains', { contains: letter, maxContains: 1 }, ['a', 'b']],
  ['propertyNames', { not: { propertyNames: letter } }, { b: 1 }],
  ['dependentSchemas', { dependentSchemas: { x: { not: { properties: { x: letter } } } } }, { x: 'b' }],
  ['patternProperties', { patternProperties: { '^a': { type: 'number' } }, additionalProperties: false }, { ab: 1 }],
  ['patternProperties and additionalProperties', patterned({ type: 'string' }), { ab: 1, c: 'x' }],
  [
    'unevaluatedProperties',
    { allOf: [{ patternProperties: { '^a': true } }], unevaluatedProperties: false },
    { ab: 1 },
  ],
  ['unevaluatedProperties after if', unevaluatedAfterIf(), { kind: 'b', b: 1 }],
  ['what is no regular expression for us', { pattern: '(?<n>', patternProperties: { '[': false } }, { a: 1 }],
])('an ignored pattern does not refuse a valid value: %s', (_, schema, value) => {
  expect(accepts(schema)(value)).toBe(true);
});

function patterned(additionalProperties: object): object {
  return { patternProperties: { '^a': { type: 'number' } }, additionalProperties };
}

function unevaluatedAfterIf(): object {
  return {
    if: { properties: { kind: letter } },
    then: { properties: { a: true } },
    else: { properties: { b: true, kind: true } },
    unevaluatedProperties: false,
  };
}

test.each<[string, object, unknown]>([
  ['properties beside patternProperties', { ...patterned({}), properties: { x: { type: 'string' } } }, { x: 1 }],
  ['required beside pattern', { properties: { x: letter }, required: ['x'] }, {}],
  ['oneOf that fits nowhere', { oneOf: [letter, { minLength: 2 }], type: 'string', minLength: 1 }, ''],
  ['then and else alike', { if: letter, then: { minLength: 3 }, else: { minLength: 3 } }, 'b'],
  ['minContains', { contains: { allOf: [letter], type: 'string' }, minContains: 2 }, ['a', 1]],
  ['additionalProperties elsewhere', { properties: { x: letter }, additionalProperties: false }, { y: 1 }],
])('the other rules of a schema with patterns still hold: %s', (_, schema, value) => {
  expect(accepts(schema)(value)).toBe(false);
});

test('a value that two complete validators accept is not refused, for random schemas', () => {
  const random = new Random(11);
  const counted = { accepted: 0, refused: 0 };
  for (let round = 0; round < 40; round++) {
    const schema = random.schema(3);
    const validate = complete(schema);
    const isAccepted = accepts(schema);
    for (let nth = 0; nth < 40; nth++) {
      const value = random.value(3);
      const expected = validate(value);
      const found = isAccepted(value);
      if (expected && !found) expect.fail(`${JSON.stringify(schema)} refuses ${JSON.stringify(value)}`);
      if (expected) counted.accepted++;
      if (expected === false && !found) counted.refused++;
    }
  }
  expect(counted.accepted).toBeGreaterThan(100);
  expect(counted.refused).toBeGreaterThan(100);
});

/**
 * Whether ajv and the engine of authors' schemas accept a value; undefined if they differ. Neither is right about every
 * use of `unevaluatedItems` and `unevaluatedProperties`: ajv accepts too much, and throws a TypeError for some.
 */
function complete(schema: object): (value: unknown) => boolean | undefined {
  const ajv = new Ajv2020({ strict: false, logger: false }).compile(schema);
  const read = readSchema(schema, () => undefined);
  const engine = 'fault' in read ? undefined : compile(read.schema);
  return (value) => {
    try {
      const expected = ajv(value) === true;
      return expected === (engine?.(value).ok ?? true) ? expected : undefined;
    } catch {
      return undefined;
    }
  };
}

class Random {
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  value(depth: number): unknown {
    const kind = this.#below(depth > 0 ? 8 : 4);
    if (kind < 4) return this.#of([null, true, 0, 1, 2.5, '', 'a', 'ab', 'b', 'ba', 'abc']);
    if (kind < 6) return this.#many(this.#below(4), () => this.value(depth - 1));
    return Object.fromEntries(this.#many(this.#below(4), () => [this.#name(), this.value(depth - 1)]));
  }

  schema(depth: number): Record<string, unknown> {
    const keywords = this.#many(1 + this.#below(3), () => this.#keyword(depth));
    return Object.fromEntries(keywords);
  }

  #keyword(depth: number): [string, unknown] {
    const inner = (): unknown => (this.#below(12) === 0 ? this.#of([true, false]) : this.schema(depth - 1));
    const leaves: [string, () => unknown][] = [
      ['type', () => this.#of(['object', 'array', 'string', ['string', 'object']])],
      ['pattern', () => this.#of(['^a', 'b$', '^(ab|a)*$', '^.$'])],
      ['minLength', () => this.#below(3)],
      ['maxProperties', () => this.#below(3)],
      ['required', () => [this.#name()]],
      ['const', () => this.value(1)],
    ];
    const nested: [string, () => unknown][] = [
      ['patternProperties', () => ({ '^a': inner(), b$: inner() })],
      ['properties', () => ({ [this.#name()]: inner(), [this.#name()]: inner() })],
      ['additionalProperties', inner],
      ['unevaluatedProperties', inner],
      ['unevaluatedItems', inner],
      ['propertyNames', inner],
      ['dependentSchemas', () => ({ [this.#name()]: inner() })],
      ['contains', inner],
      ['maxContains', () => 1],
      ['items', inner],
      ['prefixItems', () => [inner(), inner()]],
      ['not', inner],
      ['if', inner],
      ['then', inner],
      ['else', inner],
      ['allOf', () => [inner(), inner()]],
      ['anyOf', () => [inner(), inner()]],
      ['oneOf', () => [inner(), inner()]],
    ];
    const [name, make] = this.#of(depth > 0 && this.#below(4) > 0 ? nested : leaves);
    return [name, make()];
  }

  #name(): string {
    return this.#of(['a', 'b', 'ab', 'c']);
  }

  #of<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T;
  }

  #many<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make);
  }

  #below(limit: number): number {
    this.#seed = (Math.imul(this.#seed, 1_103_515_245) + 12_345) >>> 0;
    return (this.#seed >>> 8) % limit;
  }
}
