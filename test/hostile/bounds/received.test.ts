/** Schemas and results of a hostile server: a client reads and checks them within the bounds of SECURITY.md. */

// biome-ignore-all lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';
import { expectCheap, startVictim, type Victim } from './victim.ts';

let victim: Victim<object>;
let server: ScriptedServer;
beforeAll(async () => {
  [victim, server] = await Promise.all([startVictim<object>('received'), startScriptedServer()]);
  // The first check loads what checks.
  await attack({ outputSchema: { type: 'object' }, structuredContent: {} });
});
afterAll(async () => {
  await victim.close();
  server.close();
});

interface Attacked {
  readonly outcome: string;
  readonly messages: readonly string[];
}

/** Has the client list and call the tool, and measures that. */
async function attack(tool: ScriptedServer['tool'], revision = '2025-11-25'): Promise<Attacked> {
  server.tool = tool;
  const megabytes = JSON.stringify(tool).length / 2 ** 20;
  const results: Attacked[] = [];
  const cost = await victim.during(async () => {
    results.push((await victim.run('call', { url: server.url, revision })) as Attacked);
  });
  expectCheap(cost, megabytes);
  expect(cost.peakRssMb).toBeLessThan(400);
  return results[0] as Attacked;
}

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const named = (count: number, make: (at: number) => unknown): object =>
  Object.fromEntries(many(count, (at) => [`k${at}`, make(at)]));
const wrong = (count: number): string[] => many(count, () => 'x');
const rows = { type: 'object', additionalProperties: { type: 'array', items: { type: 'number' } } };

test.each([1_000_000, 7_000_000])(
  'a result with a name of %i ~ above 60,000 wrong items is refused',
  async (length) => {
    const structuredContent = { ['~'.repeat(length)]: wrong(60_000) };
    const { outcome } = await attack({ outputSchema: rows, structuredContent });
    expect(outcome).toMatch(/does not follow its outputSchema: \/~0~0.*… must be number/);
    expect(outcome.length).toBeLessThan(5000);
  },
);

test('a result with 60 nested names of 10 KB of / above 20,000 wrong items is refused', async () => {
  const schema = { type: 'object', additionalProperties: { $ref: '#/$defs/node' }, $defs: { node: {} as object } };
  schema.$defs.node = {
    type: ['object', 'array'],
    additionalProperties: { $ref: '#/$defs/node' },
    items: { type: 'number' },
  };
  let structuredContent: unknown = wrong(20_000);
  for (let level = 0; level < 55; level++) structuredContent = { ['/'.repeat(10_000)]: structuredContent };
  const { outcome } = await attack({ outputSchema: schema, structuredContent });
  expect(outcome).toContain('must be number');
});

test('a result with 90,000 names that are not allowed is refused', async () => {
  const outputSchema = { type: 'object', properties: { a: {} }, additionalProperties: false };
  const { outcome } = await attack({ outputSchema, structuredContent: named(90_000, () => 1) });
  expect(outcome).toContain("must not have additional properties: 'k0'");
});

test('a schema with a name of 500 KB of ~ is not used, and the warning is short', async () => {
  const outputSchema = {
    type: 'object',
    properties: { ['~'.repeat(500_000)]: { properties: named(3000, () => ({})) } },
  };
  const { outcome, messages } = await attack({ outputSchema, structuredContent: {} });
  expect(outcome).toBe('accepted');
  expect(messages).toEqual([
    expect.stringMatching(/^Results of tool "t" are not checked: .*more than 1024 characters$/),
  ]);
});

test('a schema with 6,000 subschemas below a name of 1,024 ~ is used', async () => {
  const outputSchema = {
    type: 'object',
    properties: { ['~'.repeat(1024)]: { properties: named(6000, () => ({ type: 'number' })) } },
  };
  const { outcome } = await attack({ outputSchema, structuredContent: { ['~'.repeat(1024)]: named(9000, () => 'x') } });
  expect(outcome).toContain('must be number');
});

test('a schema with a long $id and 4,000 relative references is not used', async () => {
  const $defs = named(2000, (at) => ({ $id: `a${at}`, properties: { a: { $ref: `a${at}` } } }));
  const outputSchema = { $id: `http://x/${'a'.repeat(200_000)}/`, type: 'object', $defs };
  const { messages } = await attack({ outputSchema, structuredContent: {} });
  expect(messages).toEqual([expect.stringContaining('more than 1024 characters')]);
});

test('a schema with 4,500 relative references below a $id of 1,000 characters costs little', async () => {
  const $defs = named(4500, (at) => ({ $id: `a${at}`, properties: { a: { $ref: `a${at}` } } }));
  await attack({ outputSchema: { $id: `http://x/${'a'.repeat(980)}/`, type: 'object', $defs }, structuredContent: {} });
});

test('a schema with a reference of 1 MB of ~1 is not used', async () => {
  await attack({
    outputSchema: { type: 'object', allOf: [{ $ref: `#/${'~1'.repeat(500_000)}` }] },
    structuredContent: {},
  });
});

test('patterns are not evaluated, whatever they are', async () => {
  const scripts = [
    'Greek',
    'Cyrillic',
    'Hebrew',
    'Arabic',
    'Thai',
    'Georgian',
    'Hangul',
    'Ethiopic',
    'Mongolian',
    'Han',
  ];
  const pattern = `^(?:${scripts.map((script) => `\\p{Script=${script}}\\p{Script=${script}}`).join('|')}|[^])*$`;
  const outputSchema = {
    type: 'object',
    properties: {
      a: { items: { allOf: many(20, (at) => ({ pattern: `${pattern}|${at}` })) } },
      b: { pattern: '^(a+)+$' },
    },
    patternProperties: { [pattern]: true, '^c': false },
    additionalProperties: false,
  };
  const characters = String.fromCharCode(...many(20_000, (at) => 0x3400 + at));
  const structuredContent = { a: many(12, () => characters), b: `${'a'.repeat(50_000)}!`, c: 1 };
  expect((await attack({ outputSchema, structuredContent })).outcome).toBe('accepted');
});

test.each<[string, object, unknown]>([
  [
    'unevaluated names',
    { type: 'object', allOf: many(3000, () => ({ additionalProperties: true })), unevaluatedProperties: false },
    named(50_000, () => 1),
  ],
  [
    'large values in an enum',
    { type: 'object', properties: { a: { items: { enum: many(8000, (a) => ({ a })) } } } },
    { a: many(40_000, () => ({ a: 7999 })) },
  ],
  [
    'items that must differ',
    { type: 'object', properties: { a: { allOf: many(3000, () => ({ uniqueItems: true })) } } },
    { a: many(20_000, (a) => ({ a })) },
  ],
  [
    'conditions side by side',
    { type: 'object', allOf: many(3000, () => ({ if: { additionalProperties: { type: 'number' } } })) },
    named(50_000, () => 1),
  ],
])('a result that would take too long to check is not checked: %s', async (_, outputSchema, structuredContent) => {
  const { outcome, messages } = await attack({ outputSchema, structuredContent });
  expect(outcome).toBe('accepted');
  expect(messages).toEqual([
    'Results of tool "t" are not checked: the schema and the value take too much work to check',
  ]);
});

test('a chain of 60 schemas with two references each to the next one is not used', async () => {
  const $defs = named(60, (at) => ({ allOf: [{ $ref: `#/$defs/k${at + 1}` }, { $ref: `#/$defs/k${at + 1}` }] }));
  const outputSchema = { type: 'object', $ref: '#/$defs/k0', $defs: { ...$defs, k60: {} } };
  const { outcome, messages } = await attack({ outputSchema, structuredContent: {} });
  expect(outcome).toBe('accepted');
  expect(messages).toEqual([expect.stringContaining('more than 10000 subschemas')]);
});

/** Each is below the limit of work, or just above it. */
const nearLimit: [string, object, (count: number) => unknown][] = [
  [
    'rows',
    { items: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
    (count) => many(count, () => ({ a: 1 })),
  ],
  [
    'branches',
    { items: { anyOf: many(30, (at) => ({ type: 'object', required: [`x${at}`] })) } },
    (count) => many(count / 15, () => ({})),
  ],
  ['references', { items: { $ref: '#/$defs/a' }, $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'number' } } }, wrong],
  ['conditions', { items: { if: { type: 'string' }, then: { minLength: 2 }, else: { type: 'null' } } }, wrong],
  ['typed additional members', { additionalProperties: { type: 'number' } }, (count) => named(count, () => 'x')],
  [
    'typed additional members beside 100 properties',
    { items: { properties: named(100, () => ({})), additionalProperties: { type: 'number' } } },
    (count) => many(count / 100, () => named(110, () => 'x')),
  ],
  [
    'closed objects of 100 properties',
    {
      items: {
        properties: named(100, () => ({ type: 'number' })),
        required: many(100, (at) => `k${at}`),
        additionalProperties: false,
      },
    },
    (count) => many(count / 100, () => named(101, () => 'x')),
  ],
  [
    'unevaluated members',
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    (count) => named(count, () => 1),
  ],
  ['items that must differ', { uniqueItems: true }, (count) => many(count, (a) => (a < 5 ? 0 : a))],
  ['items that are counted', { contains: { type: 'number' }, minContains: 5, maxContains: 9 }, wrong],
  ['options', { items: { enum: many(2000, (at) => `v${at}`) } }, (count) => many(count / 100, () => 'w')],
  [
    'option objects',
    { items: { enum: many(500, (a) => ({ a, b: { c: [1, 2, 3] } })) } },
    (count) => many(count / 100, () => ({ a: 499, b: { c: [1, 2, 4] } })),
  ],
  ['lengths', { items: { minLength: 9000, maxLength: 9000 } }, (count) => many(count / 500, () => 'ab'.repeat(4499))],
  [
    'nested lists',
    { $ref: '#/$defs/x', $defs: { x: { type: ['array', 'number'], items: { $ref: '#/$defs/x' } } } },
    (count) => many(count / 12, () => [[[[['x']]]], 1]),
  ],
];

test.each(nearLimit)('results near the limit of work cost little: %s', async (_, schema, make) => {
  const outputSchema = { type: 'object', properties: { value: schema } };
  if ('$defs' in schema) Object.assign(outputSchema, { $defs: schema.$defs });
  const outcomes: string[] = [];
  for (const count of [10_000, 20_000, 40_000, 70_000, 100_000, 150_000]) {
    const { outcome } = await attack({ outputSchema, structuredContent: { value: make(count) } });
    outcomes.push(outcome.slice(0, 60));
  }
  expect(outcomes[0]).toContain('does not follow its outputSchema');
});

test('3,000 annotated arguments below a name of 400 KB cost little', async () => {
  const annotated = named(3000, (at) => ({ type: 'string', 'x-mcp-header': `H${at}` }));
  const inputSchema = {
    type: 'object',
    properties: { ['a'.repeat(400_000)]: { type: 'object', properties: annotated } },
  };
  expect(await attack({ inputSchema, structuredContent: {} }, '2026-07-28')).toEqual({
    outcome: 'accepted',
    messages: [],
  });
});
