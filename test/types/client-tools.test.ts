/** What a client that knows its server's type may call, and with what. */

import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Connection, RequestOptions, ToolArguments, ToolName, ToolsOf } from '../../src/entries/client.ts';
import { defineTool, McpServer } from '../../src/entries/server.ts';

const makeServer = (): McpServer => new McpServer({ name: 'types', version: '1.0.0' });

/** Code that is compiled and not run. */
function compiled<Server>(_code: (mcp: Connection<ToolsOf<Server>>) => unknown): void {}

/** What is given as the arguments of a tool. */
type Args<Server, Name> = ToolArguments<ToolsOf<Server>, Name>[0];

test('the names are those of a chain, of registerTools and of both together', () => {
  const chained = makeServer()
    .registerTool('a', {}, () => 1)
    .registerTool('b', {}, () => 1);
  expectTypeOf<ToolName<ToolsOf<typeof chained>>>().toEqualTypeOf<'a' | 'b'>();
  const defined = makeServer().registerTools({ c: defineTool({}, () => 1), d: defineTool({}, () => 1) });
  expectTypeOf<ToolName<ToolsOf<typeof defined>>>().toEqualTypeOf<'c' | 'd'>();
  const both = chained.registerTools({ c: defineTool({}, () => 1) });
  expectTypeOf<ToolName<ToolsOf<typeof both>>>().toEqualTypeOf<'a' | 'b' | 'c'>();
});

test('a name that the server does not have is an error, with and without arguments', () => {
  const server = makeServer()
    .registerTool('now', {}, () => 1)
    .registerTool('add', { inputSchema: z.object({ a: z.number() }) }, ({ a }) => a);
  compiled<typeof server>(async (mcp) => {
    await mcp.callTool('now');
    // @ts-expect-error no tool has this name
    await mcp.callTool('then');
    // @ts-expect-error no tool has this name
    await mcp.callTool('ad', { a: 1 });
    const name: string = 'add';
    // @ts-expect-error any text may be no tool's name
    await mcp.callTool(name, { a: 1 });
  });
});

test('arguments are what the input schema takes, whichever library wrote it', () => {
  const server = makeServer()
    .registerTool('zod', { inputSchema: z.object({ a: z.string(), b: z.number().optional() }) }, () => 1)
    .registerTool('valibot', { inputSchema: v.object({ a: v.string(), b: v.optional(v.number()) }) }, () => 1)
    .registerTool('arktype', { inputSchema: type({ a: 'string', 'b?': 'number' }) }, () => 1)
    .registerTool(
      'typebox',
      { inputSchema: Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) }) },
      () => 1,
    )
    .registerTool(
      'json',
      {
        inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] },
      },
      () => 1,
    )
    .registerTools({
      defined: defineTool({ inputSchema: z.object({ a: z.string(), b: z.number().optional() }) }, () => 1),
    });
  type Expected = { a: string; b?: number | undefined };
  expectTypeOf<Args<typeof server, 'zod'>>().toEqualTypeOf<Expected>();
  expectTypeOf<Args<typeof server, 'valibot'>>().toEqualTypeOf<Expected>();
  expectTypeOf<Args<typeof server, 'arktype'>>().toEqualTypeOf<Expected>();
  expectTypeOf<Args<typeof server, 'typebox'>>().toEqualTypeOf<Expected>();
  expectTypeOf<Args<typeof server, 'json'>>().toEqualTypeOf<Expected>();
  expectTypeOf<Args<typeof server, 'defined'>>().toEqualTypeOf<Expected>();
  compiled<typeof server>(async (mcp) => {
    for (const name of ['zod', 'valibot', 'arktype', 'typebox', 'json', 'defined'] as const) {
      await mcp.callTool(name, { a: 'x' });
      // What is undefined is not sent.
      await mcp.callTool(name, { a: 'x', b: undefined });
      // @ts-expect-error "a" is missing
      await mcp.callTool(name, { b: 1 });
      // @ts-expect-error "a" is a string
      await mcp.callTool(name, { a: 1 });
      // @ts-expect-error "a" cannot be left out
      await mcp.callTool(name, { a: undefined });
      // @ts-expect-error there is no "c"
      await mcp.callTool(name, { a: 'x', c: 1 });
      // @ts-expect-error arguments are an object
      await mcp.callTool(name, ['x']);
      // @ts-expect-error and cannot be left out
      await mcp.callTool(name);
    }
  });
});

test('arguments are as they are before defaults and transforms', () => {
  const server = makeServer().registerTool(
    'convert',
    { inputSchema: z.object({ text: z.string().transform(Number), unit: z.enum(['m', 's']).default('m') }) },
    ({ text }) => text.toFixed(),
  );
  expectTypeOf<Args<typeof server, 'convert'>>().toEqualTypeOf<{ text: string; unit?: 'm' | 's' | undefined }>();
});

test('one of several kinds of arguments can be given', () => {
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ]);
  const server = makeServer().registerTool('area', { inputSchema: shape }, () => 1);
  compiled<typeof server>(async (mcp) => {
    await mcp.callTool('area', { kind: 'circle', radius: 1 });
    // @ts-expect-error a square has a side
    await mcp.callTool('area', { kind: 'square', radius: 1 });
  });
});

test('arguments that are all optional may be left out, and options given all the same', () => {
  const server = makeServer().registerTool(
    'find',
    { inputSchema: z.object({ limit: z.number().optional() }) },
    () => 1,
  );
  compiled<typeof server>(async (mcp) => {
    const options = { timeout: 1 } as RequestOptions | undefined;
    const args = { limit: 1 } as { limit: number } | undefined;
    await mcp.callTool('find');
    await mcp.callTool('find', {});
    await mcp.callTool('find', args, options);
    await mcp.callTool('find', undefined, options);
    // @ts-expect-error "limit" is a number
    await mcp.callTool('find', { limit: 'x' });
    // @ts-expect-error there is no "limits"
    await mcp.callTool('find', { limits: 1 });
    // @ts-expect-error no call has this option
    await mcp.callTool('find', {}, { timout: 1 });
  });
});

test('a tool that takes no arguments is given none', () => {
  const server = makeServer()
    .registerTool('none', {}, () => 1)
    .registerTool('zod', { inputSchema: z.object({}) }, () => 1)
    .registerTool('valibot', { inputSchema: v.object({}) }, () => 1)
    .registerTool('typebox', { inputSchema: Type.Object({}) }, () => 1)
    .registerTool('json', { inputSchema: { type: 'object', properties: {} } }, () => 1);
  type None = Args<typeof server, 'none'>;
  expectTypeOf<Args<typeof server, 'zod'>>().toEqualTypeOf<None>();
  expectTypeOf<Args<typeof server, 'valibot'>>().toEqualTypeOf<None>();
  expectTypeOf<Args<typeof server, 'typebox'>>().toEqualTypeOf<None>();
  expectTypeOf<Args<typeof server, 'json'>>().toEqualTypeOf<None>();
  expectTypeOf<{}>().toExtend<None>();
  expectTypeOf<Record<string, never>>().toExtend<None>();
  compiled<typeof server>(async (mcp) => {
    for (const name of ['none', 'zod', 'valibot', 'typebox', 'json'] as const) {
      await mcp.callTool(name);
      await mcp.callTool(name, {}, { timeout: 1 });
      await mcp.callTool(name, undefined, { timeout: 1 });
      // @ts-expect-error it takes nothing
      await mcp.callTool(name, { a: 1 });
      // @ts-expect-error an array is no empty object
      await mcp.callTool(name, []);
    }
  });
});

test('a tool whose schema is no literal, or says nothing, takes any object', () => {
  interface Filter {
    readonly limit: number;
  }
  const loaded: Record<string, unknown> = { type: 'object' };
  const server = makeServer()
    .registerTool('loaded', { inputSchema: loaded }, () => 1)
    .registerTool('arktype', { inputSchema: type({}) }, () => 1)
    .registerTool('json', { inputSchema: { type: 'object' } }, () => 1);
  compiled<typeof server>(async (mcp) => {
    const filter: Filter = { limit: 1 };
    expectTypeOf<Args<typeof server, 'arktype'>>().toEqualTypeOf<Args<typeof server, 'loaded'>>();
    for (const name of ['loaded', 'arktype'] as const) {
      await mcp.callTool(name);
      await mcp.callTool(name, { a: 1 });
      await mcp.callTool(name, filter);
      // @ts-expect-error arguments are an object
      await mcp.callTool(name, [1]);
      // @ts-expect-error arguments are an object
      await mcp.callTool(name, 'x');
    }
    await mcp.callTool('json', { a: 1 });
  });
});

test('what is sent may be readonly, at any depth', () => {
  const server = makeServer().registerTool(
    'store',
    { inputSchema: z.object({ tags: z.array(z.string()), at: z.object({ pair: z.tuple([z.string(), z.number()]) }) }) },
    () => 1,
  );
  compiled<typeof server>(async (mcp) => {
    await mcp.callTool('store', { tags: ['x'], at: { pair: ['x', 1] } });
    await mcp.callTool('store', { tags: ['x'], at: { pair: ['x', 1] } } as const);
    const tags: readonly string[] = ['x'];
    await mcp.callTool('store', { tags, at: { pair: ['x', 1] } });
    // @ts-expect-error a tag is a string
    await mcp.callTool('store', { tags: [1], at: { pair: ['x', 1] } } as const);
    // @ts-expect-error the second of the pair is a number
    await mcp.callTool('store', { tags, at: { pair: ['x', 'y'] } });
  });
});

test('types that arguments are made of stay what they are', () => {
  type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
  type Mail = string & { readonly brand: 'mail' };
  interface Tree {
    readonly name: string;
    readonly children?: Tree[];
  }
  interface Api {
    put: { input: { json: Json; mail: Mail; anything: unknown; byName: Record<string, number[]>; tree: Tree } };
  }
  expectTypeOf<NonNullable<Args<Api, 'put'>>['mail']>().toEqualTypeOf<Mail>();
  expectTypeOf<NonNullable<Args<Api, 'put'>>['anything']>().toBeUnknown();
  compiled<Api>(async (mcp) => {
    const mail = 'a@example.com' as Mail;
    const json: Json = [{ a: [1, null] }];
    const tree: Tree = { name: 'x', children: [{ name: 'y', children: [] }] };
    await mcp.callTool('put', { json, mail, anything: Symbol(), byName: { a: [1] }, tree });
    // @ts-expect-error any text is no address
    await mcp.callTool('put', { json, mail: 'x', anything: 1, byName: {}, tree });
    // @ts-expect-error a child has a name
    await mcp.callTool('put', { json, mail, anything: 1, byName: {}, tree: { name: 'x', children: [{}] } });
    // @ts-expect-error values are lists of numbers
    await mcp.callTool('put', { json, mail, anything: 1, byName: { a: ['x'] }, tree });
  });
});

test('an interface says what a server has as well as the type of the server', () => {
  interface Api {
    add: { input: { a: number; b: number }; output: { sum: number } };
    /** Of which only the name is known. */
    log: {};
    ping: { input: {} };
  }
  compiled<Api>(async (mcp) => {
    await mcp.callTool('add', { a: 1, b: 2 });
    await mcp.callTool('log', { anything: 1 });
    await mcp.callTool('log');
    await mcp.callTool('ping');
    // @ts-expect-error "b" is missing
    await mcp.callTool('add', { a: 1 });
    // @ts-expect-error it takes nothing
    await mcp.callTool('ping', { a: 1 });
    // @ts-expect-error no tool has this name
    await mcp.callTool('sub', { a: 1, b: 2 });
  });
});

test('of a server whose type knows no tools none can be called', () => {
  const server = makeServer();
  server.registerTool('by-statement', {}, () => 1);
  compiled<typeof server>(async (mcp) => {
    // @ts-expect-error its type does not know it
    await mcp.callTool('by-statement');
    // @ts-expect-error nor any other
    await mcp.callTool('x', { a: 1 });
    await mcp.listTools();
  });
});

test('arguments for one of several tools must be right for each of them', () => {
  interface Api {
    add: { input: { a: number; b: number } };
    half: { input: { a: number } };
    name: { input: { a: string } };
  }
  compiled<Api>(async (mcp) => {
    const name = 'half' as 'add' | 'half';
    await mcp.callTool(name, { a: 1, b: 2 });
    // @ts-expect-error one of them needs "b"
    await mcp.callTool(name, { a: 1 });
    // @ts-expect-error one of them needs a number, the other a string
    await mcp.callTool('half' as 'half' | 'name', { a: 1 });
  });
});
