import { McpServer } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { open, REVISIONS } from '../../../test/wire.ts';

async function returning(
  value: unknown,
  config: object = {},
  revision = '2026-07-28',
): Promise<{ readonly result: Readonly<Record<string, unknown>> | undefined; readonly said: string }> {
  const onError = vi.fn();
  const server = new McpServer({ name: 's', version: '1' }, { onError }).registerTool(
    't',
    config,
    () => value as never,
  );
  const { result, error } = await (await open(server, { revision })).call('tools/call', { name: 't' });
  expect(error).toBeUndefined();
  return { result, said: onError.mock.calls.map(([reported]) => (reported as Error).message).join('\n') };
}

function* numbers(): Generator<number> {
  yield 1;
}

const circle: Record<string, unknown> = {};
circle['list'] = [{ self: circle }];
class Secret {
  readonly #value = 1;
  get value(): number {
    return this.#value;
  }
}

describe('a return value that is no result is an internal error that names the tool', () => {
  test.each<[string, unknown, RegExp]>([
    ['a Map', new Map([[1, 2]]), /^Tool "t" returned a Map: return Object\.fromEntries\(map\)/],
    ['a Set', new Set([1]), /^Tool "t" returned a Set: return \[\.\.\.set\]/],
    ['an Error', new RangeError('x'), /^Tool "t" returned an Error: throw it; throw new ToolError/],
    ['a Response', new Response('x'), /^Tool "t" returned a Response: return await response\.text\(\)/],
    ['a generator', numbers(), /^Tool "t" returned a .*: return \[\.\.\.generator\]/],
    ['a function', () => 1, /^Tool "t" returned a function: call it/],
    ['a symbol', Symbol('x'), /^Tool "t" returned a symbol/],
    ['a Buffer', Buffer.from('x'), /^Tool "t" returned bytes \(Buffer\): return image\(bytes, mimeType\) or audio/],
    ['bytes', new Uint8Array(2), /^Tool "t" returned bytes \(Uint8Array\)/],
    ['a pattern', /x/, /^Tool "t" returned a RegExp/],
    ['an instance with nothing but private fields', new Secret(), /^Tool "t" returned an instance of Secret without/],
    [
      'a promise within an object',
      { p: Promise.resolve(1) },
      /^Tool "t" returned an object with a Promise at \/p: an "await" is missing/,
    ],
    [
      'a Promise deep inside',
      { users: [{ name: 'a', address: { city: Promise.resolve('b') } }] },
      /a Promise at \/users\/0\/address\/city: an "await" is missing/,
    ],
    ['promises of map()', [Promise.resolve(1)], /a Promise at \/0: an "await" is missing/],
    ['promises of map() within an object', { all: [Promise.resolve(1)] }, /a Promise at \/all\/0: /],
    ['a Map within an object', { a: { m: new Map() } }, /a Map at \/a\/m: /],
    [
      'text instead of content',
      { content: 'hello' },
      /"content" that is no result: \/content must be an array.*declare an outputSchema/,
    ],
    [
      'a wrong type of content',
      { content: [{ type: 'txt', text: 'x' }] },
      /\/content\/0\/type must be "text", "image"/,
    ],
    [
      'an image without a MIME type',
      {
        content: [
          { type: 'text', text: '' },
          { type: 'image', data: 'AA' },
        ],
      },
      /\/content\/1\/mimeType must be a string/,
    ],
    ['isError that is no boolean', { content: [], isError: 'yes' }, /\/isError must be true or false/],
    [
      'content among other values',
      [
        { type: 'text', text: 'x' },
        { type: 'image', data: 'AA' },
      ],
      /^Tool "t" returned an array of content and other values: \/1\/mimeType must be a string/,
    ],
    ['a BigInt', { a: [{ n: 1n }] }, /^Tool "t" returned a result that JSON cannot encode: \/a\/0\/n is a BigInt/],
    [
      'a circle',
      circle,
      /cannot encode: \/list\/0\/self is the same object as the value itself: JSON cannot write a cycle/,
    ],
  ])('%s', async (_, value, message) => {
    for (const revision of REVISIONS) {
      const { result, said } = await returning(value, {}, revision);
      expect(result).toMatchObject({ isError: true });
      expect(JSON.stringify(result)).toMatch(/Internal error \(reference/);
      expect(said).toMatch(message);
    }
  });

  test.each<[string, unknown, RegExp]>([
    ['a Map', new Map(), /^Tool "t" returned a Map/],
    ['a Promise within an object', { p: Promise.resolve(1) }, /a Promise at \/p/],
    ['an Error', new Error('x'), /^Tool "t" returned an Error/],
  ])('%s, with an output schema that takes it', async (_, value, message) => {
    const { result, said } = await returning(value, { outputSchema: { type: 'object' } });
    expect(result).toMatchObject({ isError: true });
    expect(said).toMatch(message);
  });

  test('structured content of a complete result is checked, too', async () => {
    const content = [{ type: 'text', text: 'x' }];
    const { said } = await returning({ content, structuredContent: { p: Promise.resolve(1) } });
    expect(said).toMatch(/^Tool "t" returned an object with a Promise at \/p/);
  });
});

describe('a return value that is a result stays one', () => {
  class Point {
    readonly x = 1;
  }

  test.each<[string, unknown, unknown]>([
    ['an instance of a class', new Point(), { x: 1 }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['dates within an object', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['an empty object', {}, {}],
    ['an empty array', [], []],
    ['undefined content', { content: undefined, a: 1 }, { a: 1 }],
  ])('%s', async (_, value, expected) => {
    const { result, said } = await returning(value);
    expect(result).toMatchObject({ structuredContent: expected, content: [{ text: JSON.stringify(expected) }] });
    expect(said).toBe('');
  });

  test('an object with content that fits the output schema', async () => {
    const outputSchema = { type: 'object', properties: { content: { type: 'string' } } };
    const { result } = await returning({ content: 'hello' }, { outputSchema });
    expect(result).toMatchObject({ structuredContent: { content: 'hello' } });
  });

  test('a Map that the output schema turns into an object', async () => {
    const outputSchema = z
      .map(z.string(), z.number())
      .transform((map) => Object.fromEntries(map))
      .pipe(z.record(z.string(), z.number()));
    const { result, said } = await returning(new Map([['a', 1]]), { outputSchema });
    expect(said).toBe('');
    expect(result).toMatchObject({ structuredContent: { a: 1 } });
  });

  test('an empty array, structured by an output schema', async () => {
    const { result } = await returning([], { outputSchema: { type: 'array' } });
    expect(result).toMatchObject({ structuredContent: [], content: [{ type: 'text', text: '[]' }] });
  });
});

test('a message that JSON cannot encode is reported with the place', async () => {
  const onError = vi.fn();
  const server = new McpServer({ name: 's', version: '1' }, { onError }).registerTool('t', {}, () => ({
    content: [{ type: 'text', text: 'x' }],
    _meta: { 'com.example/n': 1n },
  }));
  const { error } = await (await open(server)).call('tools/call', { name: 't' });
  expect(error?.code).toBe(-32603);
  expect(onError.mock.calls[0]?.[0].message).toMatch(
    /^A message cannot be written as JSON: \/result\/_meta\/com.example~1n is a BigInt/,
  );
  expect(onError.mock.calls[0]?.[1]).toMatchObject({ method: 'tools/call', name: 't' });
});

test('bytes are no structured content, even if the output schema accepts the value of their toJSON()', async () => {
  const { said } = await returning(Buffer.from('x'), { outputSchema: z.looseObject({}) });
  expect(said).toMatch(/^Tool "t" returned bytes \(Buffer\): return image\(/);
});
