// A small question with a large answer, by version 2 of the official SDK.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { textOf } from './text.mjs';

const responseMode = process.env.MCP_MODE.endsWith('sse') ? 'sse' : 'auto';

const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: 'official v2', version: '1.0.0' });
    server.registerTool('text', { inputSchema: z.object({ bytes: z.number() }) }, async ({ bytes }) => ({
      content: [{ type: 'text', text: textOf(bytes) }],
    }));
    return server;
  },
  { responseMode },
);
createServer(toNodeHandler(handler)).listen(Number(process.env.PORT), '127.0.0.1');
