// tmcp, as its READMEs say: one server with the zod adapter, and a transport; on Node by way of srvx, one of the two that
// they name.
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import { prompt, resource, tool } from 'tmcp/utils';
import { z } from 'zod';
import { desc, extraDesc, extraName, extraShape, MODE, NEXTRA, PORT, RES_URI } from '../floor/spec.mjs';

const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'The benchmark' },
  {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    },
  },
);

server.tool({ name: 'echo', description: desc.echo, schema: z.object({ message: z.string() }) }, async ({ message }) =>
  tool.text(message),
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
server.tool({ name: 'burst', description: desc.burst, schema: z.object({ n: z.number() }) }, async ({ n }) => {
  for (let progress = 1; progress <= n; progress++) server.progress(progress, n);
  return tool.text('done');
});
for (let i = 0; i < NEXTRA; i++) {
  const schema = z.object(extraShape(z));
  server.tool({ name: extraName(i), description: extraDesc(i), schema }, async () => tool.text(extraName(i)));
}
server.resource({ name: 'static', description: 'A text', uri: RES_URI }, async (uri) => resource.text(uri, 'static'));
server.prompt({ name: 'hello', description: 'Greets' }, async () => prompt.message('hello'));

async function overStdio() {
  const { StdioTransport } = await import('@tmcp/transport-stdio');
  new StdioTransport(server).listen();
}

async function overHttp() {
  const { HttpTransport } = await import('@tmcp/transport-http');
  const { serve } = await import('srvx');
  const transport = new HttpTransport(server, { path: '/mcp' });
  serve({
    port: PORT,
    hostname: '127.0.0.1',
    silent: true,
    fetch: async (request) => (await transport.respond(request)) ?? new Response('Not Found', { status: 404 }),
  });
}

if (MODE === 'stdio') await overStdio();
else await overHttp();
