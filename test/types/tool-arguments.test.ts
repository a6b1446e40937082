/** What a tool's handler gets, for every kind of schema an author may write. */

import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { type Context, defineTool, McpServer } from '../../src/entries/server.ts';

const makeServer = (): McpServer => new McpServer({ name: 'types', version: '1.0.0' });

test('a handler gets what its zod schema gives: after defaults and transforms', () => {
  const inputSchema = z.object({
    text: z.string(),
    times: z.number().default(1),
    length: z.string().transform((text) => text.length),
    note: z.string().optional(),
  });
  makeServer().registerTool('repeat', { inputSchema }, (args, ctx) => {
    expectTypeOf(args).toEqualTypeOf<{ text: string; times: number; length: number; note?: string | undefined }>();
    expectTypeOf(ctx).toEqualTypeOf<Context>();
    return '';
  });
});

test('zod/mini, valibot and arktype schemas type the arguments too', () => {
  makeServer()
    .registerTool(
      'mini',
      { inputSchema: mini.object({ a: mini.string(), b: mini.optional(mini.number()) }) },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{ a: string; b?: number | undefined }>();
      },
    )
    .registerTool('valibot', { inputSchema: v.object({ a: v.string(), b: v.optional(v.number(), 1) }) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string; b: number }>();
    })
    .registerTool('arktype', { inputSchema: type({ a: 'string', 'b?': 'number' }) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string; b?: number }>();
    });
});

test('TypeBox types are read without TypeBox', () => {
  const inputSchema = Type.Object({ a: Type.String(), b: Type.Optional(Type.Integer()) });
  makeServer().registerTool('typebox', { inputSchema }, (args) => {
    expectTypeOf(args).toEqualTypeOf<{ a: string; b?: number }>();
  });
});

test('a JSON Schema written in place needs no "as const"', () => {
  makeServer().registerTool(
    'json',
    {
      inputSchema: {
        type: 'object',
        properties: {
          unit: { type: 'string', enum: ['m', 's'] },
          values: { type: 'array', items: { type: 'number' } },
          note: { type: 'string' },
        },
        required: ['unit', 'values'],
        additionalProperties: false,
      },
    },
    (args) => {
      expectTypeOf(args).toEqualTypeOf<{ unit: 'm' | 's'; values: number[]; note?: string }>();
    },
  );
});

test('a tool without a schema takes no arguments', () => {
  makeServer().registerTool('now', {}, (args, ctx) => {
    expectTypeOf(args).toEqualTypeOf<{ [key: string]: never }>();
    expectTypeOf(ctx).toEqualTypeOf<Context>();
    // @ts-expect-error there is nothing to read
    const text: string = args['text'];
    return text;
  });
});

test('of a schema that is no literal, only that the arguments are an object is known', () => {
  const inputSchema: Record<string, unknown> = { type: 'object', properties: { a: { type: 'string' } } };
  makeServer().registerTool('loaded', { inputSchema }, (args) => {
    expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    // @ts-expect-error the value must be looked at before it is used as a string
    const text: string = args['a'];
    return text;
  });
});

test('a handler that expects other arguments than its schema gives is an error', () => {
  const server = makeServer();
  const inputSchema = z.object({ a: z.string() });
  // @ts-expect-error "a" is a string
  server.registerTool('wrong', { inputSchema }, ({ a }: { a: number }) => a);
  // @ts-expect-error there is no "b"
  server.registerTool('missing', { inputSchema }, ({ b }) => String(b));
});

test('only an object is a schema', () => {
  // @ts-expect-error a string is no schema
  const bad = () => makeServer().registerTool('bad', { inputSchema: 'object' }, () => '');
  expectTypeOf(bad).toBeFunction();
});

test('schemas that registration refuses do not compile', () => {
  const server = new McpServer({ name: 'types', version: '1.0.0' });
  const refused = (): void => {
    // @ts-expect-error an object of schemas is no schema
    server.registerTool('shape', { inputSchema: { name: z.string(), age: z.number() } }, () => '');
    // @ts-expect-error an empty schema
    server.registerTool('empty', { inputSchema: {} }, () => '');
    // @ts-expect-error zod 3
    server.registerTool('zod3', { inputSchema: z3.object({ a: z3.string() }) }, () => '');
    // @ts-expect-error a string
    server.registerTool('string', { inputSchema: z.string() }, () => '');
    // @ts-expect-error an array
    server.registerTool('array', { inputSchema: z.array(z.object({})) }, () => '');
    // @ts-expect-error a JSON Schema of a string
    server.registerTool('json', { inputSchema: { type: 'string' } }, () => '');
    // @ts-expect-error a TypeBox string
    server.registerTool('typebox', { inputSchema: Type.String() }, () => '');
    // @ts-expect-error in a definition, too
    defineTool({ inputSchema: { name: z.string() } }, () => '');
  };
  expectTypeOf(refused).toBeFunction();
});

test('schemas of every other kind compile', () => {
  const wide: Readonly<Record<string, unknown>> = { type: 'object' };
  const unknownSchema: object = { type: 'object' };
  new McpServer({ name: 'types', version: '1.0.0' })
    .registerTool('none', {}, () => '')
    .registerTool('wide', { inputSchema: wide }, () => '')
    .registerTool('object', { inputSchema: unknownSchema }, () => '')
    .registerTool('json', { inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }, ({ a }) => a)
    .registerTool('typebox', { inputSchema: Type.Object({ a: Type.String() }) }, ({ a }) => a)
    .registerTool('zod', { inputSchema: z.object({ a: z.string() }) }, ({ a }) => a)
    .registerTool(
      'union',
      { inputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]) },
      () => '',
    );
});
