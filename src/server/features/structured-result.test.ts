/** Structured results have the same bytes whether their JSON is made once or, because of middleware, from the object. */

import type { CallToolResult } from 'mcpp';
import { McpServer } from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { open, REVISIONS } from '../../../test/wire.ts';

const text = (text: string) => ({ type: 'text', text }) as const;

const RETURNED: readonly [string, unknown][] = [
  ['an object', { sum: 3, text: 'a "quoted" \u2028 line' }],
  ['an empty object', {}],
  ['an array', [1, 2]],
  ['a long text', { text: 'x'.repeat(100_000) }],
  ['a Date inside', { at: new Date(0) }],
  [
    'toJSON that returns a complete result',
    { toJSON: () => ({ content: [text('hello')], structuredContent: { a: 1 } }) },
  ],
  [
    'toJSON that returns a result with _meta',
    { toJSON: () => ({ content: [], structuredContent: {}, _meta: { a: 1 } }) },
  ],
  ['a complete result without content', { content: [], structuredContent: { a: 1 } }],
  ['a complete result with _meta', { content: [], structuredContent: { a: 1 }, _meta: { b: 2 } }],
  ['a complete result with content', { content: [text('hello')], structuredContent: { a: 1 } }],
  ['an error with data', { content: [], structuredContent: { a: 1 }, isError: true }],
];

describe.each(REVISIONS)('%s', (revision) => {
  test.each(RETURNED)('%s', async (_, returned) => {
    const server = () =>
      new McpServer({ name: 's', version: '1' }).registerTool('t', {}, () => returned as CallToolResult);
    const responses: unknown[] = [];
    for (const each of [server(), server().use((_ctx, next) => next())]) {
      const wire = await open(each, { revision });
      responses.push((await wire.call('tools/call', { name: 't' })).result);
    }
    expect(responses[0]).toEqual(responses[1]);
    expect(responses[0]).toHaveProperty('content');
  });
});

test('the JSON of structured content is the text content, byte for byte', async () => {
  const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, async () => ({ sum: 3 }));
  const wire = await open(server, { revision: '2025-11-25' });
  await wire.call('tools/call', { name: 't' }, 7);
  expect(wire.lines.at(-1)).toBe(
    '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\\"sum\\":3}"}],"structuredContent":{"sum":3}}}',
  );
});
