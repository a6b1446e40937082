import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'small', version: '1.0.0' });
  server.registerTool('echo', {}, async () => ({ content: [{ type: 'text', text: 'hello' }] }));
  return server;
});
createServer(toNodeHandler(handler)).listen(Number(process.env.PORT), '127.0.0.1');
