// The client of mcpp, with every default.
import { z } from 'zod';
import { connect } from '../../dist/entries/client.js';
import { McpServer } from '../../dist/entries/server.js';
import { desc } from '../floor/spec.mjs';
import { FLOOR } from './floor-command.mjs';
import { ADD, measured } from './measured.mjs';

const [where, revision, url] = process.argv.slice(2);

const makeServer = () =>
  new McpServer({ name: 'mcpp', version: '1.0.0' }).registerTool(
    'add',
    {
      description: desc.add,
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }) => ({ sum: a + b }),
  );

const targets = { pair: makeServer, stdio: () => FLOOR, http: () => url };
const mcp = await connect(targets[where](), { revision });
await mcp.listTools();
await measured(async () => (await mcp.callTool(ADD.name, ADD.arguments)).structuredContent);
