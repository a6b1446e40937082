/** What a server's type knows of its tools, however they were registered. */

import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  type AnyResult,
  type AnySchema,
  type Arguments,
  type CheckedInput,
  type Context,
  defineTool,
  McpServer,
  type ToolConfig,
  type ToolHandler,
  type ToolType,
} from '../../src/entries/server.ts';

const makeServer = (): McpServer => new McpServer({ name: 'types', version: '1.0.0' });

test('a chain collects the names, inputs and outputs of its tools', () => {
  const server = makeServer()
    .registerTool(
      'add',
      {
        inputSchema: z.object({ a: z.number(), b: z.number().default(0) }),
        outputSchema: z.object({ sum: z.number(), unit: z.string().default('m') }),
      },
      ({ a, b }) => ({ sum: a + b }),
    )
    .registerPrompt('between', {}, () => 'text')
    .registerResource('file:///x', 'text/plain', () => 'text')
    .registerTool('list', {}, () => ({ rows: [] }));
  expectTypeOf<keyof typeof server.$tools>().toEqualTypeOf<'add' | 'list'>();
  // Inputs as callers write them, outputs as callers read them.
  expectTypeOf<(typeof server.$tools)['add']>().toEqualTypeOf<
    ToolType<{ a: number; b?: number | undefined }, { sum: number; unit: string }>
  >();
  expectTypeOf<(typeof server.$tools)['list']>().toEqualTypeOf<ToolType<{ [key: string]: never }, unknown>>();
});

test('tools can be registered one statement at a time', () => {
  const server = makeServer();
  server.registerTool('a', { inputSchema: z.object({ x: z.string() }) }, ({ x }) => x);
  server.registerTool('b', {}, () => 1);
  expectTypeOf(server.$tools).toEqualTypeOf<{}>();
});

test('a server with tools is a server', () => {
  const takes = (server: McpServer): McpServer => server;
  const chained = makeServer().registerTool('a', {}, () => 1);
  expectTypeOf(takes).toBeCallableWith(chained);
  let server = makeServer();
  server = server.registerTool('b', {}, () => 1);
  expectTypeOf(server).toEqualTypeOf<McpServer>();
});

test('registerTools collects the types of tools made with defineTool', () => {
  const add = defineTool(
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ sum: a + b }),
  );
  const server = makeServer()
    .registerTool('first', {}, () => 1)
    .registerTools({
      add,
      now: defineTool({}, () => 'now'),
      inline: defineTool(
        { inputSchema: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] } },
        ({ x }) => x.length,
      ),
    });
  expectTypeOf<keyof typeof server.$tools>().toEqualTypeOf<'first' | 'add' | 'now' | 'inline'>();
  expectTypeOf<(typeof server.$tools)['add']>().toEqualTypeOf<ToolType<{ a: number; b: number }, { sum: number }>>();
  expectTypeOf<(typeof server.$tools)['now']>().toEqualTypeOf<ToolType<{ [key: string]: never }, unknown>>();
  expectTypeOf<(typeof server.$tools)['inline']['input']>().toEqualTypeOf<{ x: string }>();
});

test('a definition can be called without a server', () => {
  const shout = defineTool({ inputSchema: z.object({ text: z.string() }) }, ({ text }) => text.toUpperCase());
  expectTypeOf(shout.call).parameter(0).toEqualTypeOf<{ text: string }>();
  // @ts-expect-error "text" is a string
  const wrong = (ctx: Context) => shout.call({ text: 1 }, ctx);
  expectTypeOf(wrong).toBeFunction();
});

test('a definition whose handler returns the wrong thing is an error', () => {
  const outputSchema = z.object({ unit: z.enum(['m', 's']) });
  defineTool({ outputSchema }, async () => ({ unit: 'm' }));
  // @ts-expect-error "km" is not one of them
  defineTool({ outputSchema }, () => ({ unit: 'km' }));
});

test('a generic wrapper around a handler passes its types on', () => {
  function logged<A, R>(handler: (args: A, ctx: Context) => R): (args: A, ctx: Context) => R {
    return (args, ctx) => handler(args, ctx);
  }
  function timed<In, Out>(handler: ToolHandler<In, Out>): ToolHandler<In, Out> {
    return async (args, ctx) => handler(args, ctx);
  }
  const inputSchema = z.object({ a: z.string() });
  const outputSchema = z.object({ sum: z.number() });
  makeServer()
    .registerTool(
      'logged',
      { inputSchema },
      logged(({ a }) => a.toUpperCase()),
    )
    .registerTool(
      'timed-content',
      { inputSchema },
      timed(async ({ a }) => [{ type: 'text', text: a }]),
    )
    .registerTool(
      'logged-content',
      { inputSchema },
      logged(async ({ a }) => ({ content: [{ type: 'text', text: a }] })),
    )
    .registerTool(
      'logged-output',
      { inputSchema, outputSchema },
      logged(async ({ a }) => ({ sum: a.length })),
    )
    .registerTool(
      'timed',
      { inputSchema },
      timed(({ a }) => a.toUpperCase()),
    )
    .registerTool(
      'timed-output',
      { inputSchema, outputSchema },
      timed(({ a }) => ({ sum: a.length })),
    );
  const wrong = logged(({ a }: { a: string }) => ({ sum: a }));
  // @ts-expect-error a wrapper does not hide a wrong result
  makeServer().registerTool('wrong', { inputSchema, outputSchema }, wrong);
});

test('a generic function around registerTool compiles', () => {
  function registerText<const I extends AnySchema>(
    server: McpServer,
    name: string,
    config: ToolConfig<I, AnyResult> & CheckedInput<I>,
    handler: (args: Arguments<I>) => string,
  ): void {
    server.registerTool(name, config, (args) => handler(args));
  }
  registerText(makeServer(), 'zod', { inputSchema: z.object({ a: z.string() }) }, ({ a }) => a);
  const inputSchema = { type: 'object', properties: { a: { type: 'string' } } } as const;
  registerText(makeServer(), 'json', { inputSchema }, ({ a }) => a ?? '');
});
