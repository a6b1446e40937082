// mcp-lite, as its README says: a fetch handler with the Host check, on Node by way of Hono's adapter; sessions in memory.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';
import { desc, extraDesc, extraName, extraShape, NEXTRA, PORT, RES_URI, STATE } from '../floor/spec.mjs';

const text = (said) => ({ content: [{ type: 'text', text: said }] });
const server = new McpServer({ name: 'mcp-lite', version: '1.0.0', schemaAdapter: (schema) => z.toJSONSchema(schema) });

server.tool('echo', {
  description: desc.echo,
  inputSchema: z.object({ message: z.string() }),
  handler: async ({ message }) => text(message),
});
server.tool('add', {
  description: desc.add,
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
});
server.tool('burst', {
  description: desc.burst,
  inputSchema: z.object({ n: z.number() }),
  handler: async ({ n }, ctx) => {
    for (let progress = 1; progress <= n; progress++) await ctx.progress?.({ progress, total: n });
    return text('done');
  },
});
for (let i = 0; i < NEXTRA; i++) {
  server.tool(extraName(i), {
    description: extraDesc(i),
    inputSchema: z.object(extraShape(z)),
    handler: async () => text(extraName(i)),
  });
}
server.resource(RES_URI, { name: 'static' }, async ({ href }) => ({ contents: [{ uri: href, text: 'static' }] }));
server.prompt('hello', {
  handler: async () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }] }),
});

const SESSIONS = {
  stateful: {
    sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
    clientRequestAdapter: new InMemoryClientRequestAdapter({ defaultTimeoutMs: 30_000 }),
  },
  stateless: {},
};
const hosts = ['127.0.0.1', 'localhost'];
const transport = new StreamableHttpTransport({
  allowedHosts: [...hosts, ...hosts.map((host) => `${host}:${PORT}`)],
  ...SESSIONS[STATE],
});
const handler = transport.bind(server);
createServer(getRequestListener((request) => handler(request))).listen(PORT, '127.0.0.1');
