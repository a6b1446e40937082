/** What the types know of tools with views: the same as of any other tool. */

import type { Connection } from 'mcpp/client';
import { registerAppTool } from 'mcpp/extensions/apps';
import { McpServer, type ToolType } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

const ui = { html: '<!doctype html><title>Sum</title>' };

const first = new McpServer({ name: 'types', version: '1.0.0' }).registerTool('first', {}, () => 1);
const server = registerAppTool(
  first,
  'add',
  {
    inputSchema: z.object({ a: z.number(), b: z.number().default(0) }),
    outputSchema: z.object({ sum: z.number(), unit: z.string().default('m') }),
    ui,
    text: ({ sum, unit = 'm' }) => `${sum.toFixed(1)} ${unit.toUpperCase()}`,
  },
  ({ a, b }) => ({ sum: a + b }),
).registerTool('last', {}, () => 2);

test('the server collects the type of the tool, in a chain with others', async () => {
  expectTypeOf<keyof typeof server.$tools>().toEqualTypeOf<'first' | 'add' | 'last'>();
  expectTypeOf<(typeof server.$tools)['add']>().toEqualTypeOf<
    ToolType<{ a: number; b?: number | undefined }, { sum: number; unit: string }>
  >();
  const client = await testClient<typeof server>(server);
  const result = await client.callTool('add', { a: 1 });
  if (!result.isError) expectTypeOf(result.structuredContent).toEqualTypeOf<{ sum: number; unit: string }>();
  expect(result).toMatchObject({ content: [{ text: '1.0 M' }], structuredContent: { sum: 1, unit: 'm' } });
  await client.close();
  // @ts-expect-error the tool takes numbers
  expectTypeOf((typed: Connection<typeof server.$tools>) => typed.callTool('add', { a: 'one' })).toBeFunction();
});

test('arguments and results of a handler are those of its schemas, also of plain JSON Schema', () => {
  const one = new McpServer({ name: 'types', version: '1.0.0' });
  const json = registerAppTool(
    one,
    'greet',
    { inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }, ui },
    ({ name }) => {
      expectTypeOf(name).toEqualTypeOf<string>();
      return `Hello ${name}`;
    },
  );
  expectTypeOf<(typeof json.$tools)['greet']['input']['name']>().toEqualTypeOf<string>();
  registerAppTool(one, 'none', { ui }, (args) => expectTypeOf(args).toEqualTypeOf<{ [key: string]: never }>());
  const outputSchema = z.object({ sum: z.number() });
  // @ts-expect-error the result has no sum
  registerAppTool(one, 'wrong', { outputSchema, ui }, () => ({ total: 1 }));
  // @ts-expect-error what is not a permission
  expect(() => registerAppTool(one, 'usb', { ui: { ...ui, permissions: { usb: {} } } }, () => 1)).toThrow('usb');
});
