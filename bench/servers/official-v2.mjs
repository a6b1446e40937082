// The official SDK, version 2, as its docs/serving say: createMcpHandler on node:http behind the Host and Origin guards for
// 2026-07-28, and for sessions of 2025-11-25 a transport of its Node adapter for each.
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/server';
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
  const server = new McpServer({ name: 'official-v2', version: '1.0.0' });
  server.registerTool('echo', echo, async ({ message }) => text(message));
  server.registerTool('add', add, async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));
  server.registerTool('burst', burst, async ({ n }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      for (let progress = 1; progress <= n; progress++) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: n } });
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
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(makeServer);
}

async function overHttp() {
  const { createServer } = await import('node:http');
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport, toNodeHandler } =
    await import('@modelcontextprotocol/node');
  const options = { enableJsonResponse: SHAPE === 'json' };
  const sessions = new Map();

  // Without a session it must be an initialize: the transport sees to that.
  async function withSession(request, response) {
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !sessions.has(id)) return response.writeHead(404).end();
    const transport = sessions.get(id) ?? (await openSession());
    await transport.handleRequest(request, response);
  }

  async function openSession() {
    const transport = new NodeStreamableHTTPServerTransport({
      ...options,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (given) => {
        sessions.set(given, transport);
      },
    });
    transport.onclose = () => sessions.delete(transport.sessionId);
    await makeServer().connect(transport);
    return transport;
  }

  // createMcpHandler would answer these with a stream, and has no option for JSON.
  async function withoutSession(request, response) {
    const transport = new NodeStreamableHTTPServerTransport({ ...options, sessionIdGenerator: undefined });
    await makeServer().connect(transport);
    response.on('close', () => transport.close());
    await transport.handleRequest(request, response);
  }

  const HANDLERS = {
    modern: toNodeHandler(createMcpHandler(makeServer, { responseMode: SHAPE === 'sse' ? 'sse' : 'auto' })),
    stateful: withSession,
    stateless: withoutSession,
  };
  const handle = HANDLERS[STATE];
  const validateHost = localhostHostValidation();
  const validateOrigin = localhostOriginValidation();
  createServer((request, response) => {
    if (validateHost(request, response) && validateOrigin(request, response)) void handle(request, response);
  }).listen(PORT, '127.0.0.1');
}

if (MODE === 'stdio') await overStdio();
else await overHttp();
