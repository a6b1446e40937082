/** Connections as values: which can stand for which, and how they are made. */

import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type {
  Client,
  Connection,
  connect,
  OutputOf,
  RequestOptions,
  ToolArguments,
  ToolCallResult,
  ToolName,
  ToolsOf,
} from '../../src/entries/client.ts';
import type { CallToolResult } from '../../src/entries/mcpp.ts';
import { McpServer } from '../../src/entries/server.ts';
import type { TestClient, testClient } from '../../src/entries/testing.ts';

const server = new McpServer({ name: 'types', version: '1.0.0' })
  .registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number().default(0) }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ sum: a + b }),
  )
  .registerTool('now', {}, () => 'now');
type Tools = typeof server.$tools;

interface Api {
  add: { input: { a: number; b: number }; output: { sum: number } };
}

test('connect, a client and testClient are told the tools by a type argument', () => {
  type Made<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>;
  expectTypeOf<Made<typeof connect<typeof server>>>().toEqualTypeOf<Connection<Tools>>();
  expectTypeOf<Made<typeof connect<Api>>>().toEqualTypeOf<Connection<Api>>();
  expectTypeOf<Made<typeof connect>>().toEqualTypeOf<Connection>();
  expectTypeOf<Made<Client['connect']>>().toEqualTypeOf<Connection>();
  expectTypeOf<Made<typeof testClient<typeof server>>>().toEqualTypeOf<TestClient<Tools>>();
  const byClient = async (client: Client) => client.connect<typeof server>(server);
  expectTypeOf<Made<typeof byClient>>().toEqualTypeOf<Connection<Tools>>();
});

test('without the type argument the type of a server in this process is inferred', () => {
  const use = async (open: typeof connect, openTest: typeof testClient, client: Client) => {
    expectTypeOf(await open(server)).toEqualTypeOf<Connection<Tools>>();
    expectTypeOf(await client.connect(server)).toEqualTypeOf<Connection<Tools>>();
    expectTypeOf(await openTest(server)).toEqualTypeOf<TestClient<Tools>>();
    expectTypeOf(await open('http://localhost:3000/mcp')).toEqualTypeOf<Connection>();
    expectTypeOf(await open({ command: 'x', args: ['y'] })).toEqualTypeOf<Connection>();
    // @ts-expect-error there is no such tool
    await (await open(server)).callTool('ad', { a: 1 });
  };
  expectTypeOf(use).toBeFunction();
});

test('with unknown as the type argument, and for tools registered by statements, any tool can be called', () => {
  const use = async (open: typeof connect, openTest: typeof testClient, byStatements: McpServer) => {
    const name: string = 'registered-by-a-statement';
    expectTypeOf(await (await open<unknown>(server)).callTool(name, { a: 1 })).toEqualTypeOf<CallToolResult>();
    expectTypeOf(await (await openTest<unknown>(server)).callTool(name, { a: 1 })).toEqualTypeOf<CallToolResult>();
    expectTypeOf(await (await open(byStatements)).callTool(name, { a: 1 })).toEqualTypeOf<CallToolResult>();
    expectTypeOf(await (await openTest(byStatements)).callTool(name, { a: 1 })).toEqualTypeOf<CallToolResult>();
  };
  expectTypeOf(use).toBeFunction();
});

test('an untyped connection takes any name and any object, and gives a CallToolResult', () => {
  interface Filter {
    readonly limit: number;
  }
  const use = async (mcp: Connection, name: string, filter: Filter, record: Record<string, unknown>) => {
    const options = {} as RequestOptions | undefined;
    expectTypeOf(await mcp.callTool(name)).toEqualTypeOf<CallToolResult>();
    await mcp.callTool(name, filter, options);
    await mcp.callTool(name, record, { timeout: 1 });
    await mcp.callTool(name, undefined, options);
    // @ts-expect-error arguments are an object
    await mcp.callTool(name, [1]);
    // @ts-expect-error arguments are an object
    await mcp.callTool(name, 'x');
    // @ts-expect-error arguments are not null
    await mcp.callTool(name, null);
    // @ts-expect-error what is unknown may be no object
    await mcp.callTool(name, record['x']);
    // @ts-expect-error a name is a string
    await mcp.callTool(1);
  };
  expectTypeOf(use).toBeFunction();
});

test('a typed connection can be used where any will do', () => {
  expectTypeOf<Connection<Tools>>().toExtend<Connection>();
  expectTypeOf<Connection<Api>>().toExtend<Connection>();
  expectTypeOf<Connection<{}>>().toExtend<Connection>();
  expectTypeOf<TestClient<Tools>>().toExtend<Connection<Tools>>();
  expectTypeOf<TestClient<Tools>>().toExtend<Connection>();
  expectTypeOf<TestClient<Tools>>().toExtend<TestClient>();
});

test('a connection can be used where fewer tools are wanted, and not where others are', () => {
  expectTypeOf<Connection<Tools>>().toExtend<Connection<Pick<Tools, 'now'>>>();
  expectTypeOf<Connection<Tools>>().toExtend<Connection<{}>>();
  expectTypeOf<Connection<Api>>().not.toExtend<Connection<Tools>>();
  expectTypeOf<Connection<{}>>().not.toExtend<Connection<Api>>();
  expectTypeOf<Connection<{ sub: Api['add'] }>>().not.toExtend<Connection<Api>>();
  // An untyped one would have to be believed.
  expectTypeOf<Connection>().not.toExtend<Connection<Api>>();
});

test('tools of the same name are compared by what they take and what they give', () => {
  type Adding<Input, Output> = Connection<{ add: { input: Input; output: Output } }>;
  // The server has a default for "b", so whoever always sends it is served too.
  expectTypeOf<Connection<Tools>>().toExtend<Connection<Api>>();
  expectTypeOf<Connection<Tools>>().toExtend<Adding<{ a: 1; b: 2 }, unknown>>();
  expectTypeOf<Connection<Tools>>().toExtend<Adding<{ readonly a: number }, { readonly sum: unknown }>>();
  expectTypeOf<Connection<Tools>>().not.toExtend<Adding<{}, { sum: number }>>();
  expectTypeOf<Connection<Tools>>().not.toExtend<Adding<{ a: number | string }, { sum: number }>>();
  expectTypeOf<Connection<Tools>>().not.toExtend<Adding<{ a: number }, { total: number }>>();
});

test('a function can pass a call on, whichever tool it is of', () => {
  async function passOn<Server, Name extends ToolName<ToolsOf<Server>>>(
    mcp: Connection<ToolsOf<Server>>,
    name: Name,
    ...rest: ToolArguments<ToolsOf<Server>, Name>
  ): Promise<ToolCallResult<OutputOf<ToolsOf<Server>, Name>>> {
    return mcp.callTool(name, ...rest);
  }
  const use = async (mcp: Connection<Tools>) => {
    const result = await passOn<typeof server, 'add'>(mcp, 'add', { a: 1 });
    if (!result.isError) expectTypeOf(result.structuredContent).toEqualTypeOf<{ sum: number }>();
    // @ts-expect-error "a" is missing
    await passOn<typeof server, 'add'>(mcp, 'add', {});
  };
  expectTypeOf(use).toBeFunction();
});
