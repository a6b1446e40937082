import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallToolResult, JsonSchemaObject } from '../protocol/model/tools.ts';
import { ToolBook, type ToolPinningOptions } from './tool-book.ts';

/** A book with one tool, called "t". */
async function open(
  outputSchema: unknown,
  options: ToolPinningOptions = {},
  Book = ToolBook,
): Promise<{ book: ToolBook; warnings: Error[] }> {
  const warnings: Error[] = [];
  const book = new Book(options, (warning) => warnings.push(warning));
  await book.take([{ name: 't', inputSchema: { type: 'object' }, outputSchema: outputSchema as JsonSchemaObject }]);
  return { book, warnings };
}

const structured = (structuredContent: unknown): CallToolResult => ({ content: [], structuredContent });
const sum = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };

afterEach(() => {
  vi.unstubAllGlobals();
  vi.doUnmock('../schema/check/engine.ts');
  vi.resetModules();
});

describe('a structured result', () => {
  test('that follows the schema is given as it is, unknown fields included', async () => {
    const { book, warnings } = await open(sum);
    const result = { ...structured({ sum: 3, more: 1 }), 'com.example/a': 1, _meta: { b: 2 } };
    expect(await book.check('t', result)).toBe(result);
    expect(warnings).toEqual([]);
  });

  test('that does not is told by tool, place and reason', async () => {
    const { book } = await open(sum);
    await expect(async () => book.check('t', structured({ sum: '3' }))).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'malformed',
      message: 'The result of tool "t" does not follow its outputSchema: /sum must be number',
    });
  });

  test.each<[string, unknown, unknown]>([
    ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] }, [5]],
    ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }, [5]],
    ['draft-06', { $schema: 'http://json-schema.org/draft-06/schema#', exclusiveMinimum: 5 }, 5],
    ['no dialect', { anyOf: [{ type: 'null' }, { $ref: '#/$defs/n' }], $defs: { n: { type: 'number' } } }, 'x'],
  ])('is checked by a schema of %s', async (_, schema, wrong) => {
    const { book, warnings } = await open(schema);
    await expect(async () => book.check('t', structured(wrong))).rejects.toMatchObject({ code: 'malformed' });
    expect(warnings).toEqual([]);
  });

  test.each([null, 0, false, ''])('may be %j: that is a value', async (value) => {
    const { book } = await open({ enum: [value] });
    const result = structured(value);
    expect(await book.check('t', result)).toBe(result);
    const { book: other } = await open({ type: 'array' });
    await expect(async () => other.check('t', result)).rejects.toMatchObject({ code: 'malformed' });
  });

  test('must be there if there is a schema, unless the revision has none', async () => {
    const { book } = await open(sum);
    const result = { content: [{ type: 'text', text: '3' }] } as const;
    await expect(async () => book.check('t', result)).rejects.toMatchObject({
      code: 'malformed',
      message: 'The result of tool "t" has no structuredContent, which its outputSchema asks for',
    });
    expect(book.check('t', result, false)).toBe(result);
    await expect(async () => book.check('t', structured({}), false)).rejects.toMatchObject({ code: 'malformed' });
  });

  test('of an error is not checked: what matters is what it says', async () => {
    const { book } = await open(sum);
    const wrong = { ...structured({ sum: 'x' }), isError: true };
    const none = { content: [], isError: true };
    expect([book.check('t', wrong), book.check('t', none)]).toEqual([wrong, none]);
  });

  test.each([
    ['of a tool that is not known', 'other', sum, {}],
    ['of a tool without a schema', 't', undefined, {}],
    ['of a tool whose schema is null', 't', null, {}],
    ['if nobody wants that', 't', sum, { validateResults: false }],
  ] as const)('is not checked %s', async (_, name, schema, options) => {
    const { book, warnings } = await open(schema, options);
    const result = structured(5);
    expect(book.check(name, result)).toBe(result);
    expect(warnings).toEqual([]);
  });

  test('is checked by the schema as it arrived, whatever became of the object', async () => {
    const schema = { type: 'object', properties: {} } as Record<string, unknown>;
    const { book } = await open(schema);
    schema['required'] = ['never'];
    expect(await book.check('t', structured({}))).toEqual(structured({}));
  });

  test('is checked by the new schema once that was accepted, by the old one if it was not', async () => {
    for (const accept of [true, false]) {
      const { book } = await open({ type: 'string' }, { onToolChanged: () => accept });
      await book.check('t', structured('x'));
      await book.take([{ name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'number' } }]);
      const [right, wrong] = accept ? [5, 'x'] : ['x', 5];
      expect(await book.check('t', structured(right))).toEqual(structured(right));
      await expect(async () => book.check('t', structured(wrong))).rejects.toMatchObject({ code: 'malformed' });
    }
  });
});

describe('a schema that cannot be used turns the check off, with one warning', () => {
  let deep: object = {};
  for (let level = 0; level < 40; level++) deep = { not: deep };

  test.each<[string, unknown, string | RegExp]>([
    [
      'an unknown dialect',
      { $schema: 'urn:x', type: 'object' },
      'Results of tool "t" are not checked: outputSchema/$schema: dialect not supported: urn:x; ' +
        'use 2020-12, draft-07 or draft-06',
    ],
    [
      'a reference to elsewhere',
      { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:9/schema.json' } } },
      'Results of tool "t" are not checked: outputSchema/properties/a/$ref: ' +
        'refers to another document: external references are never fetched, so put the target into $defs',
    ],
    ['a reference to a file', { $ref: 'file:///etc/passwd' }, /outputSchema\/\$ref: refers to another document/],
    ['too much depth', deep, /outputSchema(\/not)+: is nested more than 32 schemas deep$/],
    [
      'a name of more than 1,024 characters',
      { properties: { ['~'.repeat(1025)]: {} } },
      /tool "t".*outputSchema\/properties\/[~0]+…: has a name of more than 1024 characters$/,
    ],
    ['no schema at all', true, 'Results of tool "t" are not checked: outputSchema: must be an object'],
  ])('%s', async (_, schema, warning) => {
    const fetched = vi.fn(() => {
      throw new Error('Nothing is ever fetched');
    });
    vi.stubGlobal('fetch', fetched);
    const { book, warnings } = await open(schema);
    expect(warnings).toEqual([]);
    const results = [structured(`${'a'.repeat(40)}!`), { content: [] }];
    for (const result of [...results, ...results]) expect(await book.check('t', result)).toBe(result);
    await book.take([{ name: 't', inputSchema: { type: 'object' }, outputSchema: schema as JsonSchemaObject }]);
    expect(await book.check('t', structured(5))).toEqual(structured(5));
    expect(warnings.map(({ message }) => message)).toEqual([
      typeof warning === 'string' ? warning : expect.stringMatching(warning),
    ]);
    expect(fetched).not.toHaveBeenCalled();
  });

  test('references that double at every step', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`d${at}`, { allOf: Array(2).fill({ $ref: `#/$defs/d${at + 1}` }) }]),
    );
    const { book, warnings } = await open({ $ref: '#/$defs/d0', $defs: { ...$defs, d60: {} } });
    for (const value of [1, 2]) expect(await book.check('t', structured(value))).toEqual(structured(value));
    expect(warnings.map(({ message }) => message)).toEqual([
      'Results of tool "t" are not checked: outputSchema: applies more than 10000 subschemas to one value',
    ]);
  });

  test('a $dynamicAnchor in several places', async () => {
    const anchor = { $dynamicAnchor: 'x', type: 'string' };
    const { book, warnings } = await open({ $dynamicRef: '#x', $defs: { a: anchor, b: anchor } });
    expect(await book.check('t', structured(1))).toEqual(structured(1));
    expect(warnings).toHaveLength(1);
  });

  test('names from the wire are quoted', async () => {
    const warnings: string[] = [];
    const book = new ToolBook({}, ({ message }) => warnings.push(message));
    const name = `a"\n${'b'.repeat(1000)}`;
    await book.take([{ name, inputSchema: { type: 'object' }, outputSchema: { $schema: 'urn:x' } }]);
    await book.check(name, structured(1));
    expect(warnings[0]).toMatch(/^Results of tool "a\\"\\nb{125}\.\.\." are not checked: /);
  });
});

test('a result that takes too much work to check is accepted with one warning, and smaller ones are checked', async () => {
  const { book, warnings } = await open({ allOf: Array(3000).fill({ items: { type: 'number' } }) });
  const large = structured(Array(50_000).fill(1));
  for (const result of [large, large]) expect(await book.check('t', result)).toBe(result);
  expect(warnings.map(({ message }) => message)).toEqual([
    'Results of tool "t" are not checked: the schema and the value take too much work to check',
  ]);
  await expect(async () => book.check('t', structured(['x']))).rejects.toMatchObject({ code: 'malformed' });
});

describe('the engine', () => {
  test('that breaks in the middle of a check fails no call', async () => {
    vi.resetModules();
    vi.doMock('../schema/check/engine.ts', () => ({
      interpret: () => () => {
        throw new Error('broken');
      },
    }));
    const fresh = await import('./tool-book.ts');
    // Schemas without such keywords are checked without the engine.
    const outputSchema = { ...sum, minProperties: 1 };
    const { book, warnings } = await open(outputSchema, {}, fresh.ToolBook);
    const result = structured({ sum: 1 });
    expect(await book.check('t', result)).toBe(result);
    await book.take([{ name: 'u', inputSchema: { type: 'object' }, outputSchema }]);
    expect(await book.check('u', result)).toBe(result);
    expect(warnings).toHaveLength(2);
  });
});
