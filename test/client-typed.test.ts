/** What the types of a typed client promise is what arrives, on every revision, whether the tools were listed or not. */

import { type Connection, connect, type ToolsOf } from 'mcpp/client';
import { McpServer, ToolError } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { REVISIONS } from './wire.ts';

const row = z.object({ id: z.number(), tags: z.array(z.string()) });

const server = new McpServer({ name: 'typed', version: '1' }, { onError: () => {} })
  .registerTool(
    'add',
    {
      inputSchema: z.object({ a: z.string().transform(Number), b: z.number().default(10) }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ sum: a + b }),
  )
  .registerTool('rows', { outputSchema: z.array(row) }, () => [{ id: 1, tags: ['x'] }])
  .registerTool('no-rows', { outputSchema: z.array(row) }, () => [])
  .registerTool('text', { outputSchema: z.string() }, () => 'some text')
  .registerTool('number', { outputSchema: { type: 'number' } }, () => 0)
  .registerTool('boolean', { outputSchema: z.boolean() }, () => false)
  .registerTool('null', { outputSchema: z.null() }, () => null)
  .registerTool('maybe', { outputSchema: z.union([row, z.null(), z.string()]) }, () => 'either')
  .registerTool('result', { outputSchema: z.object({ result: z.array(z.number()) }) }, () => ({ result: [1] }))
  .registerTool('result-in-list', { outputSchema: z.array(z.object({ result: z.number() })) }, () => [{ result: 1 }])
  .registerTool('after-defaults', { outputSchema: z.object({ unit: z.string().default('m') }) }, () => ({}))
  .registerTool('fails', { outputSchema: row }, () => {
    throw new ToolError('no such row');
  })
  .registerTool('optional', { inputSchema: { type: 'object', properties: { limit: { type: 'integer' } } } }, (args) => {
    return { limit: args.limit ?? 'none', keys: Object.keys(args) };
  })
  .registerTool('tags', { inputSchema: z.object({ tags: z.array(z.string()) }) }, ({ tags }) => tags.join());

type Mcp = Connection<ToolsOf<typeof server>>;

/** Calls of tools, each with the structured content that comes back. */
const RESULTS: readonly (readonly [what: string, call: (mcp: Mcp) => Promise<unknown>, expected: unknown])[] = [
  ['an object', async (mcp) => structured(await mcp.callTool('add', { a: '1' })), { sum: 11 }],
  ['an array', async (mcp) => structured(await mcp.callTool('rows')), [{ id: 1, tags: ['x'] }]],
  ['an empty array', async (mcp) => structured(await mcp.callTool('no-rows')), []],
  ['a string', async (mcp) => structured(await mcp.callTool('text')), 'some text'],
  ['a number', async (mcp) => structured(await mcp.callTool('number')), 0],
  ['a boolean', async (mcp) => structured(await mcp.callTool('boolean')), false],
  ['null', async (mcp) => structured(await mcp.callTool('null')), null],
  ['one of several types', async (mcp) => structured(await mcp.callTool('maybe')), 'either'],
  [
    'an object that looks like a wrapped result',
    async (mcp) => structured(await mcp.callTool('result')),
    { result: [1] },
  ],
  ['an array of such', async (mcp) => structured(await mcp.callTool('result-in-list')), [{ result: 1 }]],
  ['an object after defaults', async (mcp) => structured(await mcp.callTool('after-defaults')), { unit: 'm' }],
  [
    'an object without an output schema',
    async (mcp) => structured(await mcp.callTool('optional')),
    { limit: 'none', keys: [] },
  ],
];

function structured(result: { readonly isError?: boolean; readonly structuredContent?: unknown }): unknown {
  expect(result.isError).not.toBe(true);
  expect(result).toHaveProperty('structuredContent');
  return result.structuredContent;
}

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

async function opened<T extends { close(): Promise<void> }>(connecting: Promise<T>): Promise<T> {
  const one = await connecting;
  open.push(one);
  return one;
}

describe.each(REVISIONS)('%s', (revision) => {
  describe.each([
    ['before the tools are listed', false],
    ['after the tools are listed', true],
  ])('%s', (_, isListed) => {
    const connected = async (): Promise<Mcp> => {
      const mcp = await opened(connect<typeof server>(server, { revision }));
      if (isListed) await mcp.listTools();
      return mcp;
    };

    test.each(RESULTS)('%s comes back as it is', async (_what, call, expected) => {
      expect(await call(await connected())).toEqual(expected);
    });

    test('a tool that failed says so, and why', async () => {
      const mcp = await connected();
      const result = await mcp.callTool('fails');
      if (!result.isError) expectTypeOf(result.structuredContent).toEqualTypeOf<{ id: number; tags: string[] }>();
      expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'no such row' }] });
      expect(result).not.toHaveProperty('structuredContent');
    });

    test('the content says the same as text', async () => {
      const mcp = await connected();
      expect(await mcp.callTool('rows')).toMatchObject({
        content: [{ type: 'text', text: '[{"id":1,"tags":["x"]}]' }],
      });
    });

    test('an optional argument that is undefined is not sent', async () => {
      const mcp = await connected();
      const limit = undefined as number | undefined;
      expect(structured(await mcp.callTool('optional', { limit }))).toEqual({ limit: 'none', keys: [] });
    });

    test('arguments may be readonly', async () => {
      const mcp = await connected();
      const args = { tags: ['x', 'y'] } as const;
      expect((await mcp.callTool('tags', args)).content).toEqual([{ type: 'text', text: 'x,y' }]);
    });

    test('the test client gives the same', async () => {
      const mcp = await opened(testClient<typeof server>(server, { revision }));
      if (isListed) await mcp.listTools();
      const result = await mcp.callTool('rows');
      expect(result.isError ? undefined : result.structuredContent[0]?.tags).toEqual(['x']);
    });
  });
});

test('nothing of the types is there when the program runs', async () => {
  const mcp = await opened(connect<typeof server>(server));
  expect('~tools' in mcp).toBe(false);
});

test('what the compiler refuses, the server refuses too', async () => {
  const mcp = await opened(connect<typeof server>(server));
  // @ts-expect-error no tool has this name
  await expect(mcp.callTool('sub')).rejects.toMatchObject({ name: 'RpcError', code: -32602 });
  // @ts-expect-error "a" is missing
  expect(await mcp.callTool('add', {})).toMatchObject({ isError: true });
  // @ts-expect-error it takes no arguments; those that are sent nevertheless are ignored
  expect((await mcp.callTool('rows', { a: 1 })).isError).toBeUndefined();
});
