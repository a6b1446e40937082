/** What a tool's handler may return: with an output schema that and nothing else, without one nearly anything. */

import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { CallToolResult, ContentBlock } from '../../src/entries/mcpp.ts';
import { inputRequired, McpServer, ToolError } from '../../src/entries/server.ts';

const makeServer = (): McpServer => new McpServer({ name: 'types', version: '1.0.0' });
const inputSchema = z.object({ a: z.string() });
const outputSchema = z.object({ sum: z.number() });

test('without an output schema a handler returns a string, a number, a plain object, content, a result or nothing', () => {
  interface Row {
    readonly id: number;
  }
  makeServer()
    .registerTool('string', {}, () => 'text')
    .registerTool('number', {}, () => 1)
    .registerTool('boolean', {}, () => true)
    .registerTool('null', {}, () => null)
    .registerTool('nothing', {}, () => {})
    .registerTool('nothing-later', {}, async () => {})
    .registerTool('object', {}, () => ({ id: 1 }))
    .registerTool('interface', {}, async (): Promise<Row> => ({ id: 1 }))
    .registerTool('block', {}, () => ({ type: 'text', text: 'x' }))
    .registerTool('blocks', {}, async () => [{ type: 'image', data: '', mimeType: 'image/png' }])
    .registerTool('result', {}, () => ({ content: [{ type: 'text', text: 'x' }], isError: true }))
    .registerTool('typed-result', {}, (): CallToolResult => ({ content: [] }))
    .registerTool('typed-blocks', {}, () => {
      const content: ContentBlock[] = [];
      return { content };
    })
    .registerTool('questions', {}, () => inputRequired({ requests: { roots: { method: 'roots/list' } } }))
    .registerTool('failure', {}, () => {
      throw new ToolError('no');
    });
});

test('without an output schema an array is content or an error', () => {
  const server = makeServer();
  // @ts-expect-error numbers are no content
  server.registerTool('array', {}, () => [1, 2]);
  // @ts-expect-error nor is a set
  server.registerTool('set', {}, () => new Set([1]));
  // @ts-expect-error an unknown may be an array
  server.registerTool('unknown', {}, () => JSON.parse('1') as unknown);
});

test('what JSON writes as {} or not at all is an error', () => {
  const server = makeServer();
  // @ts-expect-error a Map
  server.registerTool('map', {}, () => new Map());
  // @ts-expect-error a Response
  server.registerTool('response', {}, async () => fetch('http://localhost'));
  // @ts-expect-error a generator
  server.registerTool('generator', {}, function* () {
    yield 1;
  });
  // @ts-expect-error an asynchronous generator
  server.registerTool('async-generator', {}, async function* () {
    yield 1;
  });
  // @ts-expect-error a function
  server.registerTool('function', {}, () => () => 1);
  // @ts-expect-error a symbol
  server.registerTool('symbol', {}, () => Symbol('x'));
  // @ts-expect-error bytes
  server.registerTool('buffer', {}, () => Buffer.from('x'));
  server
    .registerTool('date', {}, () => new Date())
    .registerTool('url', {}, () => new URL('http://localhost'))
    .registerTool('class', {}, () => new (class Point {})());
});

test('an object with content that is no content is an error without an output schema', () => {
  const server = makeServer();
  // @ts-expect-error text is no content
  server.registerTool('text', {}, () => ({ content: 'hello' }));
  // @ts-expect-error there is no such type of content
  server.registerTool('type', {}, () => ({ content: [{ type: 'txt', text: 'x' }] }));
  // @ts-expect-error an image has a MIME type
  server.registerTool('image', {}, () => ({ content: [{ type: 'image', data: 'AA' }] }));
  server.registerTool('data', { outputSchema: z.object({ content: z.string() }) }, () => ({ content: 'hello' }));
});

test('with an output schema a handler returns what the schema says, now or later', () => {
  makeServer()
    .registerTool('now', { inputSchema, outputSchema }, ({ a }) => ({ sum: a.length }))
    .registerTool('later', { inputSchema, outputSchema }, async ({ a }) => ({ sum: a.length }))
    .registerTool('before-the-check', { outputSchema: z.object({ n: z.number().default(1) }) }, () => ({}))
    .registerTool('array', { outputSchema: { type: 'array', items: { type: 'string' } } }, () => ['x']);
});

test('literals and tuples of an output schema do not widen', () => {
  const exact = z.object({ unit: z.enum(['m', 's']), pair: z.tuple([z.string(), z.number()]), kind: z.literal('k') });
  makeServer()
    .registerTool('now', { outputSchema: exact }, () => ({ unit: 'm', pair: ['x', 1], kind: 'k' }))
    .registerTool('later', { outputSchema: exact }, async () => ({ unit: 'm', pair: ['x', 1], kind: 'k' }))
    .registerTool('with-arguments', { inputSchema, outputSchema: exact }, async ({ a }) => ({
      unit: a ? 'm' : 's',
      pair: [a, 1],
      kind: 'k',
    }))
    .registerTool(
      'json',
      { outputSchema: { type: 'object', properties: { unit: { enum: ['m', 's'] } }, required: ['unit'] } },
      async () => ({ unit: 'm' }),
    );
});

test('a whole result may be returned too, and its literals do not widen', () => {
  makeServer()
    .registerTool('result', { inputSchema, outputSchema }, async ({ a }) => ({
      content: [{ type: 'text', text: a }],
      structuredContent: { sum: 1 },
    }))
    .registerTool('either', { inputSchema, outputSchema }, async ({ a }) => {
      if (a === '') return { content: [{ type: 'text', text: 'no' }], isError: true };
      return { sum: a.length };
    });
});

test('with an output schema anything else is an error', () => {
  const server = makeServer();
  // @ts-expect-error "sum" is a number
  server.registerTool('type', { outputSchema }, () => ({ sum: 'x' }));
  // @ts-expect-error also later
  server.registerTool('type-later', { outputSchema }, async () => ({ sum: 'x' }));
  // @ts-expect-error "sum" is missing
  server.registerTool('missing', { outputSchema }, () => ({ total: 1 }));
  // @ts-expect-error a string is not structured
  server.registerTool('string', { outputSchema }, () => 'x');
  // @ts-expect-error nothing is not structured
  server.registerTool('nothing', { outputSchema }, () => {});
  // @ts-expect-error content alone would be taken for the structured result
  server.registerTool('content-alone', { outputSchema }, () => [{ type: 'text', text: 'x' }]);
  // @ts-expect-error no content has the type "txt"
  server.registerTool('content', { outputSchema }, () => ({ content: [{ type: 'txt', text: 'x' }] }));
  const json = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;
  // @ts-expect-error the same for a JSON Schema
  server.registerTool('json', { outputSchema: json }, () => ({ sum: 'x' }));
  expectTypeOf(server).toEqualTypeOf<McpServer>();
});
