// The official SDK, version 1, as its docs/server.md and its examples say: Express with the Host check; a transport and a
// server for each session, or for each request where there are none.
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { desc, extraDesc, extraName, extraShape, MODE, NEXTRA, PORT, RES_URI, SHAPE, STATE } from '../floor/spec.mjs';

const text = (said) => ({ content: [{ type: 'text', text: said }] });

// Made once, not for each server.
const echo = { description: desc.echo, inputSchema: z.object({ message: z.string() }) };
const add = {
  description: desc.add,
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
};
const burst = { description: desc.burst, inputSchema: z.object({ n: z.number() }) };
const extras = Array.from({ length: NEXTRA }, (_, i) => ({
  name: extraName(i),
  config: { description: extraDesc(i), inputSchema: z.object(extraShape(z)) },
}));

function makeServer() {
  const server = new McpServer({ name: 'official-v1', version: '1.0.0' });
  server.registerTool('echo', echo, async ({ message }) => text(message));
  server.registerTool('add', add, async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));
  server.registerTool('burst', burst, async ({ n }, { _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined) {
      for (let progress = 1; progress <= n; progress++) {
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: n } });
      }
    }
    return text('done');
  });
  for (const { name, config } of extras) server.registerTool(name, config, async () => text(name));
  server.registerResource('static', RES_URI, {}, async () => ({ contents: [{ uri: RES_URI, text: 'static' }] }));
  server.registerPrompt('hello', {}, async () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }],
  }));
  return server;
}

async function overStdio() {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  await makeServer().connect(new StdioServerTransport());
}

async function overHttp() {
  const { default: express } = await import('express');
  const { localhostHostValidation } = await import(
    '@modelcontextprotocol/sdk/server/middleware/hostHeaderValidation.js'
  );
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const { isInitializeRequest } = await import('@modelcontextprotocol/sdk/types.js');
  const options = { enableJsonResponse: SHAPE === 'json' };
  const sessions = new Map();

  async function withSession(request, response) {
    const id = request.headers['mcp-session-id'];
    const known = sessions.get(id);
    if (known) return known.handleRequest(request, response, request.body);
    if (id !== undefined || !isInitializeRequest(request.body))
      return response.sendStatus(id === undefined ? 400 : 404);
    const transport = new StreamableHTTPServerTransport({
      ...options,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (given) => {
        sessions.set(given, transport);
      },
    });
    transport.onclose = () => sessions.delete(transport.sessionId);
    await makeServer().connect(transport);
    await transport.handleRequest(request, response, request.body);
  }

  async function withoutSession(request, response) {
    if (request.method !== 'POST') return response.sendStatus(405);
    const server = makeServer();
    const transport = new StreamableHTTPServerTransport({ ...options, sessionIdGenerator: undefined });
    await server.connect(transport);
    response.on('close', () => server.close());
    await transport.handleRequest(request, response, request.body);
  }

  // What createMcpExpressApp() does, which takes no more than 100 KB and cannot be told otherwise.
  const app = express();
  app.use(localhostHostValidation());
  app.use(express.json({ limit: '16mb' }));
  app.all('/mcp', STATE === 'stateless' ? withoutSession : withSession);
  app.listen(PORT, '127.0.0.1');
}

if (MODE === 'stdio') await overStdio();
else await overHttp();
