// fastmcp, as its README says: one server that is started with a transport.
import { FastMCP } from 'fastmcp';
import { z } from 'zod';
import { desc, extraDesc, extraName, extraShape, MODE, NEXTRA, PORT, RES_URI, SHAPE, STATE } from '../floor/spec.mjs';

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });

server.addTool({
  name: 'echo',
  description: desc.echo,
  parameters: z.object({ message: z.string() }),
  execute: async ({ message }) => message,
});
server.addTool({
  name: 'add',
  description: desc.add,
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
});
server.addTool({
  name: 'burst',
  description: desc.burst,
  parameters: z.object({ n: z.number() }),
  execute: async ({ n }, { reportProgress }) => {
    for (let progress = 1; progress <= n; progress++) await reportProgress({ progress, total: n });
    return 'done';
  },
});
for (let i = 0; i < NEXTRA; i++) {
  server.addTool({
    name: extraName(i),
    description: extraDesc(i),
    parameters: z.object(extraShape(z)),
    execute: async () => extraName(i),
  });
}
server.addResource({ uri: RES_URI, name: 'static', load: async () => ({ text: 'static' }) });
server.addPrompt({ name: 'hello', load: async () => 'hello' });

const httpStream = {
  port: PORT,
  host: '127.0.0.1',
  stateless: STATE === 'stateless',
  enableJsonResponse: SHAPE === 'json',
};
await server.start(MODE === 'stdio' ? { transportType: 'stdio' } : { transportType: 'httpStream', httpStream });
