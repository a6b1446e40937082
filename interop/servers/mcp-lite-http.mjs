/** The common set, by mcp-lite, as far as it goes: it has no completion, no changes, no roots, and no signal. */

import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';

const text = (said) => ({ content: [{ type: 'text', text: said }] });
const server = new McpServer({ name: 'mcp-lite', version: '1.0.0', schemaAdapter: (schema) => z.toJSONSchema(schema) });

server.tool('add', {
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
});

server.tool('ask', {
  handler: async (_args, ctx) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const answer = await ctx.elicit({ message: 'What is your name?', schema });
    return text(answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action);
  },
});

server.tool('sample', {
  handler: async (_args, ctx) => {
    const { content } = await ctx.sample({ prompt: 'Say something', maxTokens: 10 });
    return text(`The model says ${content.text}`);
  },
});

server.tool('count', {
  handler: async (_args, ctx) => {
    for (const done of [1, 2, 3]) await ctx.progress?.({ progress: done, total: 3 });
    return text('Counted');
  },
});

server.resource('test://hello', { name: 'hello', mimeType: 'text/plain' }, ({ href }) => ({
  contents: [{ uri: href, mimeType: 'text/plain', text: 'Hello' }],
}));

server.resource('test://items/{id}', { name: 'items' }, ({ href }, { id }) => ({
  contents: [{ uri: href, text: `Item ${id}` }],
}));

server.prompt('greet', {
  arguments: z.object({ name: z.string() }),
  handler: ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Please greet ${name}` } }] }),
});

const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter({ defaultTimeoutMs: 10_000 }),
});
createServer(getRequestListener(transport.bind(server))).listen(0, '127.0.0.1');
