// The client of version 1 of the official SDK.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { z } from 'zod';
import { desc } from '../floor/spec.mjs';
import { FLOOR } from './floor-command.mjs';
import { ADD, measured } from './measured.mjs';

const [where, , url] = process.argv.slice(2);

async function inProcess() {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const server = new McpServer({ name: 'official v1', version: '1.0.0' });
  const config = {
    description: desc.add,
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: { sum: z.number() },
  };
  server.registerTool('add', config, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
    structuredContent: { sum: a + b },
  }));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  return ours;
}

const transports = {
  pair: inProcess,
  stdio: () => new StdioClientTransport(FLOOR),
  http: () => new StreamableHTTPClientTransport(new URL(url)),
};
const client = new Client({ name: 'bench', version: '1.0.0' });
await client.connect(await transports[where]());
await client.listTools();
await measured(async () => (await client.callTool(ADD)).structuredContent);
