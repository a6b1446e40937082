import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { describeProblems } from '../problems.ts';
import { checkedSchema } from './checked-schema.ts';
import { receivedSchema } from './received-schema.ts';

const raw = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number', default: 2 } },
  required: ['a'],
  additionalProperties: false,
};

describe.each([
  ['zod', z.object({ a: z.number(), b: z.number().optional() })],
  ['zod/mini', mini.object({ a: mini.number(), b: mini.optional(mini.number()) })],
  ['valibot', v.object({ a: v.number(), b: v.optional(v.number()) })],
  ['arktype', type({ a: 'number', 'b?': 'number' })],
  ['TypeBox', Type.Object({ a: Type.Number(), b: Type.Optional(Type.Number()) })],
  ['plain JSON Schema', raw],
])('%s', (_, schema) => {
  const checked = checkedSchema(schema, 'Tool "add": inputSchema', 'input');

  test('has a JSON Schema', () => {
    expect(checked.jsonSchema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
    });
    expect(checked.jsonSchema).not.toHaveProperty('$schema');
  });

  test('a valid value passes', async () => {
    expect(await checked.check({ a: 1, b: 2 })).toEqual({ ok: true, value: { a: 1, b: 2 } });
  });

  test('the problem of a wrong value has its place as a JSON Pointer', async () => {
    const result = await checked.check({ a: '1' });
    expect(result).toMatchObject({ ok: false, problems: [{ path: '/a' }] });
  });

  test('arguments hidden in __proto__ are missing', async () => {
    const result = await checked.check(JSON.parse('{"__proto__":{"a":1,"b":2}}'));
    expect(result.ok).toBe(false);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  test.each([[[1, 2]], ['x'], [null], [5]])('%j is not an object', async (value) => {
    expect((await checked.check(value)).ok).toBe(false);
  });
});

test("a library's transforms and defaults reach the handler", async () => {
  const schema = z.object({ a: z.string().transform((text) => text.length), b: z.number().default(7) });
  expect(await checkedSchema(schema, 'x', 'input').check({ a: 'four' })).toEqual({ ok: true, value: { a: 4, b: 7 } });
});

test('a library may check asynchronously, and is synchronous if it can', async () => {
  const slow = z.object({ a: z.string().refine(async (text) => text === 'yes') });
  const checked = checkedSchema(slow, 'x', 'input');
  expect(await checked.check({ a: 'no' })).toMatchObject({ ok: false, problems: [{ path: '/a' }] });
  expect(checkedSchema(z.object({}), 'x', 'input').check({})).toEqual({ ok: true, value: {} });
});

test('a raw schema applies no defaults and coerces nothing', async () => {
  const checked = checkedSchema(raw, 'x', 'input');
  const value = { a: 1 };
  expect(await checked.check(value)).toEqual({ ok: true, value: { a: 1 } });
  expect(await checked.check(JSON.parse('{"a":1e999}'))).toMatchObject({
    ok: false,
    problems: [{ path: '/a', message: 'must be number' }],
  });
  expect(await checked.check({ a: true })).toMatchObject({ ok: false });
});

test('a library message that repeats the value is cut', async () => {
  const result = await checkedSchema(v.object({ a: v.number() }), 'x', 'input').check({ a: 'x'.repeat(100_000) });
  expect(result.ok || describeProblems(result.problems).length).toBeLessThan(600);
});

test.each<[string, unknown, RegExp]>([
  [
    'a broken raw schema',
    { type: 'object', properties: { a: { type: 'str' } } },
    /^Tool "add": inputSchema\/properties\/a\/type: must be string/,
  ],
  [
    'an external $ref',
    { type: 'object', properties: { a: { $ref: 'http://x' } } },
    /inputSchema\/properties\/a\/\$ref: refers to another document/,
  ],
  ['an unknown dialect', { $schema: 'urn:x', type: 'object' }, /inputSchema\/\$schema: dialect not supported/],
  ['a date', z.object({ a: z.date() }), /inputSchema\/properties\/a: Date cannot/],
  ['no schema at all', 'object', /inputSchema: must be a Standard Schema/],
])('%s throws at registration, naming tool and place', (_, schema, message) => {
  expect(() => checkedSchema(schema, 'Tool "add": inputSchema', 'input')).toThrow(TypeError);
  expect(() => checkedSchema(schema, 'Tool "add": inputSchema', 'input')).toThrow(message);
});

test('a received schema checks values, or has a fault', async () => {
  const received = receivedSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    required: ['a'],
  });
  expect('schema' in received && (await received.schema.check({}))).toMatchObject({ ok: false });
  expect('schema' in received && (await received.schema.check({ a: 1 }))).toEqual({ ok: true, value: { a: 1 } });
  expect(receivedSchema({ $ref: 'https://example.com/x' })).toMatchObject({ fault: { path: '/$ref' } });
  expect(receivedSchema(null)).toMatchObject({ fault: { path: '' } });
  const anchors = { $defs: { a: { $dynamicAnchor: 'x' }, b: { $dynamicAnchor: 'x' } }, $dynamicRef: '#x' };
  expect(receivedSchema(anchors)).toEqual({
    fault: { path: '', message: 'has a $dynamicAnchor more than once, which is not supported' },
  });
});

describe('the engine', () => {
  beforeEach(() => {
    vi.resetModules();
    vi.doUnmock('./engine.ts');
  });

  test('is loaded by the first check and makes later ones synchronous', async () => {
    const fresh = await import('./checked-schema.ts');
    const [one, other] = [
      fresh.checkedSchema(raw, 'x', 'input'),
      fresh.checkedSchema({ type: 'object' }, 'x', 'input'),
    ];
    const first = one.check({ a: 1 });
    expect(first).toBeInstanceOf(Promise);
    await first;
    expect(one.check({ a: 1 })).toEqual({ ok: true, value: { a: 1 } });
    expect(other.check(5)).toMatchObject({ ok: false });
  });

  test('is loaded once for all waiting checks', async () => {
    const loaded = vi.fn();
    vi.doMock('./engine.ts', async (original) => {
      loaded();
      return await original();
    });
    const fresh = await import('./checked-schema.ts');
    const checked = fresh.checkedSchema(raw, 'x', 'input');
    await Promise.all([
      checked.check({ a: 1 }),
      checked.check({ a: 2 }),
      fresh.checkedSchema(raw, 'y', 'input').check({ a: 3 }),
    ]);
    expect(loaded).toHaveBeenCalledTimes(1);
  });

  test('is loaded again after a failed load', async () => {
    vi.doMock('./engine.ts', () => {
      throw new Error('no such chunk');
    });
    const fresh = await import('./checked-schema.ts');
    const checked = fresh.checkedSchema(raw, 'x', 'input');
    await expect(checked.check({ a: 1 })).rejects.toThrow();
    vi.doUnmock('./engine.ts');
    expect(await checked.check({ a: 1 })).toEqual({ ok: true, value: { a: 1 } });
  });
});

describe('a pattern that repeats a group', () => {
  const withPattern = (pattern: string) => ({ type: 'object', properties: { a: { type: 'string', pattern } } });
  const refused = /^Tool "x": inputSchema\/properties\/a\/pattern: must not repeat a group/;

  test('checks values if each text can be matched in one way only', async () => {
    const checked = checkedSchema(withPattern('^(-[a-z]+)*$'), 'x', 'input');
    expect(await checked.check({ a: '-b-c' })).toMatchObject({ ok: true });
    expect(await checked.check({ a: 'b' })).toMatchObject({ ok: false });
  });

  test('is refused at once if it may take exponential time', () => {
    expect(() => checkedSchema(withPattern('^(a+)+$'), 'Tool "x": inputSchema', 'input')).toThrow(refused);
  });
});
