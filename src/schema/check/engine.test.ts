import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { wireCopy } from '../local/wire-copy.ts';
import { readSchema } from '../read/read-schema.ts';
import { patternFault } from '../redos/redos.ts';
import { compile, interpret } from './engine.ts';

function parsed(schema: object) {
  const read = readSchema(wireCopy(schema as Record<string, unknown>), patternFault);
  if ('fault' in read) throw new Error(`${read.fault.path}: ${read.fault.message}`);
  return read.schema;
}

/** The problems that a check finds, or undefined. */
function problemsBy(prepare: typeof compile, schema: object, value: unknown) {
  const checked = prepare(parsed(schema))(value);
  return checked.ok ? undefined : checked.problems;
}

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', minimum: 0 },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'age'],
  additionalProperties: false,
};

describe.each([
  ['compiled', compile],
  ['interpreted', interpret],
])('%s', (_, prepare) => {
  const problems = (schema: object, value: unknown) => problemsBy(prepare, schema, value);
  const texts = (schema: object, value: unknown) =>
    problems(schema, value)?.map(({ path, message }) => `${path} ${message}`);

  test('a valid value has no problems', () => {
    expect(problems(person, { name: 'a', age: 1, tags: ['x'] })).toBeUndefined();
  });

  test('unevaluatedProperties has no effect on arrays', () => {
    const branches = [{ type: 'array' }, { type: 'object', properties: { a: {} } }];
    const schema = { anyOf: branches, unevaluatedProperties: false };
    expect(problems(schema, [1, 2])).toBeUndefined();
    expect(problems(schema, { a: 1 })).toBeUndefined();
    expect(problems(schema, { a: 1, b: 2 })).toBeDefined();
    expect(problems({ type: 'array', unevaluatedProperties: false }, {})).toBeDefined();
  });

  test('dependencies and the keywords that replaced it apply together', () => {
    const schema = { dependencies: { a: ['b'] }, dependentRequired: { a: ['c'] } };
    expect(problems(schema, { a: 1, b: 2, c: 3 })).toBeUndefined();
    expect(problems(schema, { a: 1, b: 2 })).toBeDefined();
    expect(problems(schema, { a: 1, c: 3 })).toBeDefined();
  });

  test('a problem has its path and the expected value', () => {
    expect(texts(person, { name: 5, age: -1, tags: ['x', 1], other: 1 })).toEqual(
      expect.arrayContaining([
        '/name must be string',
        '/age must be >= 0',
        '/tags/1 must be string',
        " must not have additional properties: 'other'",
      ]),
    );
  });

  test('each missing property is named', () => {
    expect(texts(person, {})).toEqual([" must have required property 'name'", " must have required property 'age'"]);
  });

  test.each([
    [{ enum: ['a', 'b'] }, 'x', ' must be one of "a", "b"'],
    [{ const: 'a' }, 'x', ' must be "a"'],
    [{ type: ['string', 'null'] }, 5, ' must be string or null'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 5, ' must be string or null'],
    [{ properties: { a: false } }, { a: 1 }, '/a is not allowed'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ' must not have duplicate items',
    ],
    [{ maxLength: 1 }, 'xx', ' must not have more than 1 characters'],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, " must not have properties named 'ab'"],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, " must have properties 'b' when it has 'a'"],
    [{ properties: { a: {} }, unevaluatedProperties: false }, { b: 1 }, " must not have additional properties: 'b'"],
  ])('%j reports for %j: %s', (schema, value, text) => {
    expect(texts(schema, value)).toContain(text);
  });

  test('at most 10 problems are reported, and long names are cut', () => {
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${'x'.repeat(1000)}${i}`, 1]));
    const reported = problems({ ...person, minProperties: 5000 }, value) ?? [];
    expect(reported.length).toBeLessThanOrEqual(10);
    expect(JSON.stringify(reported).length).toBeLessThan(4000);
    expect(reported.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/additional properties: 'x+…', .* more$/),
    );
    expect(problems({ items: { type: 'string' } }, Array(1000).fill(1))).toHaveLength(10);
    expect(problems({ items: { type: 'string' } }, Array(20_000).fill(1))?.length).toBeGreaterThan(0);
  });

  test('no problem repeats a value of the caller', () => {
    const secret = 'secret-value';
    for (const schema of [{ enum: ['a'] }, { const: 1 }, { type: 'number' }, { maxLength: 1 }, { not: {} }]) {
      expect(JSON.stringify(problems(schema, secret))).not.toContain(secret);
    }
  });

  test('numbers are finite, and nothing is coerced', () => {
    const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'integer' } } };
    expect(problems(schema, JSON.parse('{"a":1e999}'))).toBeDefined();
    expect(problems(schema, { a: '1' })).toBeDefined();
    expect(problems(schema, { a: true })).toBeDefined();
    expect(problems(schema, { b: 1.5 })).toBeDefined();
    expect(problems(schema, { b: 1.0 })).toBeUndefined();
  });

  test('only own members count', () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    expect(texts(schema, JSON.parse('{"__proto__":{"a":1}}'))).toEqual([" must have required property 'a'"]);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  test('inherited names such as toString can be names of properties', () => {
    const schema = { type: 'object', properties: { toString: { type: 'string' }, constructor: { type: 'string' } } };
    expect(problems(schema, {})).toBeUndefined();
    expect(problems(schema, { toString: 5 })).toBeDefined();
    expect(problems({ ...schema, required: ['toString'] }, {})).toBeDefined();
    expect(
      problems({ ...schema, required: ['toString', 'constructor'] }, { toString: 'a', constructor: 'b' }),
    ).toBeUndefined();
  });

  test('a recursive schema is followed as deep as the value goes', () => {
    const tree = { type: 'object', properties: { v: { type: 'number' }, next: { $ref: '#' } }, required: ['v'] };
    expect(problems(tree, { v: 1, next: { v: 2, next: { v: 3 } } })).toBeUndefined();
    expect(texts(tree, { v: 1, next: { v: 2, next: {} } })).toEqual(["/next/next must have required property 'v'"]);
  });

  test('a draft-07 schema has the meaning of draft-07', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { at: { type: 'array', items: [{ type: 'number' }, { type: 'number' }], additionalItems: false } },
      type: 'object',
      properties: { at: { $ref: '#/definitions/at', type: 'string' } },
      dependencies: { at: ['by'] },
    };
    expect(problems(schema, { at: [1, 2], by: 1 })).toBeUndefined();
    expect(problems(schema, { at: [1, 2, 3], by: 1 })).toBeDefined();
    expect(problems(schema, { at: [1, 'x'], by: 1 })).toBeDefined();
    expect(problems(schema, { at: [1, 2] })).toBeDefined();
  });

  test('a hundred thousand duplicates are found at once', () => {
    const start = performance.now();
    expect(problems({ uniqueItems: true }, Array(100_000).fill(0))).toBeDefined();
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

test("in an author's schema a $dynamicRef leads to the outermost of several anchors", () => {
  const schema = {
    $id: 'https://x.example/strings',
    $ref: 'list',
    $defs: {
      own: { $dynamicAnchor: 'item', type: 'string' },
      list: {
        $id: 'list',
        type: 'array',
        items: { $dynamicRef: '#item' },
        $defs: { any: { $dynamicAnchor: 'item' } },
      },
    },
  };
  expect(problemsBy(compile, schema, ['a'])).toBeUndefined();
  expect(problemsBy(compile, schema, [1])).toBeDefined();
});

test("an author's pattern is a rule, and its problem shows it", () => {
  expect(problemsBy(compile, { pattern: '^a' }, 'secret')).toEqual([{ path: '', message: 'must match pattern ^a' }]);
});

test("an author's formats are rules, received ones are annotations", () => {
  const schema = { type: 'string', format: 'email' };
  expect(problemsBy(compile, schema, 'nobody')).toEqual([{ path: '', message: 'must match format "email"' }]);
  expect(problemsBy(interpret, schema, 'nobody')).toBeUndefined();
  expect(problemsBy(compile, { format: 'unknown-format' }, 'x')).toBeUndefined();
});

test("TypeBox's refinements are evaluated, received members of that name are not", () => {
  const even = Type.Object({
    n: Type.Refine(
      Type.Number(),
      (n) => n % 2 === 0,
      () => 'must be even',
    ),
  });
  expect(problemsBy(compile, even, { n: 3 })).toEqual([{ path: '/n', message: 'must be even' }]);
  expect(problemsBy(interpret, even, { n: 3 })).toBeUndefined();
  const read = readSchema(JSON.parse('{"~refine":[{"check":1}],"type":"number"}'));
  expect('schema' in read && interpret(read.schema)(3)).toEqual({ ok: true, value: 3 });
});

test('a reference and allOf side by side both count', () => {
  const schema = {
    $dynamicRef: '#a',
    $ref: '#/$defs/b',
    allOf: [{ maximum: 5 }],
    $defs: { a: { $dynamicAnchor: 'a', type: 'number' }, b: { minimum: 1 } },
  };
  for (const prepare of [compile, interpret]) {
    expect(problemsBy(prepare, schema, 3)).toBeUndefined();
    for (const wrong of ['x', 0, 6]) expect(problemsBy(prepare, schema, wrong)).toHaveLength(1);
  }
});

test('a recursive schema with two ways to every part of a deep value is not checked', () => {
  const twice = { $ref: '#/$defs/x' };
  const schema = {
    $ref: '#/$defs/x',
    $defs: {
      x: {
        anyOf: [
          { items: twice, minItems: 1 },
          { items: twice, minItems: 1 },
        ],
      },
    },
  };
  const value = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`);
  expect(interpret(parsed(schema))(value)).toEqual({ ok: true, value, unchecked: expect.any(String) });
});

test('a value that exhausts the stack is not checked', () => {
  const value = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
  expect(interpret(parsed({ items: { $ref: '#' } }))(value)).toMatchObject({ ok: true, unchecked: expect.any(String) });
});
