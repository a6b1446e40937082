// mcpp, as its README says: one server, zod schemas, every default.

import { z } from 'zod';
import { serveHttp } from '../../dist/entries/http.js';
import { McpServer } from '../../dist/entries/server.js';
import { serveStdio } from '../../dist/entries/stdio.js';
import { desc, extraDesc, extraName, extraShape, MODE, NEXTRA, PORT, RES_URI, STATE } from '../floor/spec.mjs';

const server = new McpServer({ name: 'mcpp', version: '1.0.0' });

server.registerTool(
  'echo',
  { description: desc.echo, inputSchema: z.object({ message: z.string() }) },
  async ({ message }) => message,
);
server.registerTool(
  'add',
  {
    description: desc.add,
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  },
  async ({ a, b }) => ({ sum: a + b }),
);
server.registerTool(
  'burst',
  { description: desc.burst, inputSchema: z.object({ n: z.number() }) },
  async ({ n }, ctx) => {
    for (let i = 1; i <= n; i++) ctx.reportProgress(i, n);
    return 'done';
  },
);
for (let i = 0; i < NEXTRA; i++) {
  const inputSchema = z.object(extraShape(z));
  server.registerTool(extraName(i), { description: extraDesc(i), inputSchema }, async () => extraName(i));
}
server.registerResource(RES_URI, { name: 'static' }, async () => 'static');
server.registerPrompt('hello', {}, async () => 'hello');

if (MODE === 'stdio') await serveStdio(server);
else await serveHttp(server, { port: PORT, sessions: STATE !== 'stateless' });
