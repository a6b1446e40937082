/** What a call gives to a client that knows its server's type. */

import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type {
  Connection,
  OutputOf,
  ToolCallResult,
  ToolFailure,
  ToolSuccess,
  ToolsOf,
} from '../../src/entries/client.ts';
import type { CallToolResult, ContentBlock } from '../../src/entries/mcpp.ts';
import { defineTool, McpServer } from '../../src/entries/server.ts';

const makeServer = (): McpServer => new McpServer({ name: 'types', version: '1.0.0' });

/** Code that is compiled and not run. */
function compiled<Server>(_code: (mcp: Connection<ToolsOf<Server>>) => unknown): void {}

interface Api {
  add: { input: { a: number; b: number }; output: { sum: number } };
  list: { input: {}; output: string[] };
  log: { input: {} };
}

test('once isError is looked at, the structured content is what the output schema says', () => {
  compiled<Api>(async (mcp) => {
    const result = await mcp.callTool('add', { a: 1, b: 2 });
    expectTypeOf(result).toEqualTypeOf<ToolSuccess<{ sum: number }> | ToolFailure>();
    if (result.isError) {
      expectTypeOf(result.structuredContent).toBeUnknown();
      expectTypeOf(result.content).toEqualTypeOf<readonly ContentBlock[]>();
      return;
    }
    expectTypeOf(result.structuredContent).toEqualTypeOf<{ sum: number }>();
    // @ts-expect-error there is no "total"
    expectTypeOf(result.structuredContent.total).toBeNumber();
  });
  compiled<Api>(async (mcp) => {
    const result = await mcp.callTool('add', { a: 1, b: 2 });
    if (result.isError === true) throw new Error();
    expectTypeOf(result.structuredContent.sum).toBeNumber();
  });
  compiled<Api>(async (mcp) => {
    const { isError, structuredContent } = await mcp.callTool('list');
    expectTypeOf(isError ? [] : structuredContent).toEqualTypeOf<string[]>();
  });
});

test('before that, it may be anything', () => {
  compiled<Api>(async (mcp) => {
    const result = await mcp.callTool('add', { a: 1, b: 2 });
    expectTypeOf(result.structuredContent).toBeUnknown();
    // @ts-expect-error a tool that failed has no sum
    expectTypeOf(result.structuredContent.sum).toBeNumber();
    const { structuredContent } = await mcp.callTool('list');
    // @ts-expect-error nor a list
    expectTypeOf(structuredContent.length).toBeNumber();
  });
});

test('of a tool without an output schema nothing is known, whether it failed or not', () => {
  const server = makeServer().registerTool('plain', {}, () => ({ a: 1 }));
  compiled<typeof server>(async (mcp) => {
    const result = await mcp.callTool('plain');
    expectTypeOf(result).toEqualTypeOf<CallToolResult>();
    if (result.isError) return;
    expectTypeOf(result.structuredContent).toBeUnknown();
  });
  compiled<Api>(async (mcp) => {
    expectTypeOf(await mcp.callTool('log')).toEqualTypeOf<CallToolResult>();
  });
});

test('a result is as a caller reads it: after defaults and transforms', () => {
  const lengthOf = z
    .string()
    .transform((text) => text.length)
    .pipe(z.number());
  const server = makeServer()
    .registerTool(
      'chained',
      {
        outputSchema: z.object({ length: lengthOf, unit: z.string().default('m') }),
      },
      () => ({ length: 'text' }),
    )
    .registerTools({
      defined: defineTool({ outputSchema: z.string().transform(Number).pipe(z.number()) }, () => '1'),
      json: defineTool(
        { outputSchema: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } } },
        () => [{ id: 1 }],
      ),
    });
  type Tools = ToolsOf<typeof server>;
  expectTypeOf<OutputOf<Tools, 'chained'>>().toEqualTypeOf<{ length: number; unit: string }>();
  expectTypeOf<OutputOf<Tools, 'defined'>>().toEqualTypeOf<number>();
  expectTypeOf<OutputOf<Tools, 'json'>>().toEqualTypeOf<{ id?: number }[]>();
});

test('a structured result may be null or of several types', () => {
  expectTypeOf<ToolCallResult<null>>().toEqualTypeOf<ToolSuccess<null> | ToolFailure>();
  expectTypeOf<ToolCallResult<string | number[]>>().toEqualTypeOf<ToolSuccess<string | number[]> | ToolFailure>();
  compiled<{ find: { output: { name: string } | null } }>(async (mcp) => {
    const result = await mcp.callTool('find');
    if (!result.isError) expectTypeOf(result.structuredContent?.name).toEqualTypeOf<string | undefined>();
  });
});

test('one of several tools gives the result of one of them', () => {
  compiled<Api>(async (mcp) => {
    const result = await mcp.callTool('add' as 'add' | 'list', { a: 1, b: 2 });
    if (!result.isError) expectTypeOf(result.structuredContent).toEqualTypeOf<{ sum: number } | string[]>();
    const other = await mcp.callTool('add' as 'add' | 'log', { a: 1, b: 2 });
    expectTypeOf(other).toEqualTypeOf<CallToolResult>();
  });
});

test('every result can be used as a CallToolResult', () => {
  const takes = (result: CallToolResult): CallToolResult => result;
  compiled<Api>(async (mcp) => takes(await mcp.callTool('add', { a: 1, b: 2 })));
});
