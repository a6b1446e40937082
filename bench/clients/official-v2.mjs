// The client of version 2 of the official SDK. A pair within one process is made as its documentation says, which is
// another way for 2026-07-28 than for revisions before it.
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { desc } from '../floor/spec.mjs';
import { FLOOR } from './floor-command.mjs';
import { ADD, measured } from './measured.mjs';

const [where, revision, url] = process.argv.slice(2);
const isModern = revision === '2026-07-28';

async function inProcess() {
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
  const makeServer = () => {
    const server = new McpServer({ name: 'official v2', version: '1.0.0' });
    const config = {
      description: desc.add,
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    };
    server.registerTool('add', config, async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
      structuredContent: { sum: a + b },
    }));
    return server;
  };
  if (isModern) {
    const handler = createMcpHandler(makeServer);
    return new StreamableHTTPClientTransport(new URL('http://bench.local/mcp'), {
      fetch: (target, init) => handler.fetch(new Request(target, init)),
    });
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await makeServer().connect(theirs);
  return ours;
}

const transports = {
  pair: inProcess,
  stdio: () => new StdioClientTransport(FLOOR),
  http: () => new StreamableHTTPClientTransport(new URL(url)),
};
const client = new Client(
  { name: 'bench', version: '1.0.0' },
  { versionNegotiation: { mode: isModern ? 'auto' : 'legacy' } },
);
await client.connect(await transports[where]());
if (client.getNegotiatedProtocolVersion() !== revision) {
  throw new Error(`They agreed on ${client.getNegotiatedProtocolVersion()}`);
}
await client.listTools();
await measured(async () => (await client.callTool(ADD)).structuredContent);
