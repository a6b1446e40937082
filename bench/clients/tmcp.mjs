// tmcp has no client but the one for tests, which hands messages to a server of the same process.
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { InMemoryTransport } from '@tmcp/transport-in-memory';
import { McpServer } from 'tmcp';
import { tool } from 'tmcp/utils';
import { z } from 'zod';
import { desc } from '../floor/spec.mjs';
import { ADD, measured } from './measured.mjs';

const [, revision] = process.argv.slice(2);
const CLIENT = { name: 'bench', version: '1.0.0' };

const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'bench' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
server.tool(
  {
    name: 'add',
    description: desc.add,
    schema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  },
  async ({ a, b }) => tool.structured({ sum: a + b }),
);

async function connect() {
  const transport = new InMemoryTransport(server);
  if (revision === '2026-07-28') return transport.stateless({ clientInfo: CLIENT });
  const session = transport.session();
  await session.initialize(revision, {}, CLIENT);
  return session;
}

const client = await connect();
await client.listTools();
await measured(async () => (await client.callTool(ADD.name, ADD.arguments)).structuredContent);
