import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { McpServer, StreamableHttpTransport } from 'mcp-lite';

const server = new McpServer({ name: 'small', version: '1.0.0' });
server.tool('echo', { handler: async () => ({ content: [{ type: 'text', text: 'hello' }] }) });
const handle = new StreamableHttpTransport().bind(server);
createServer(getRequestListener((request) => handle(request))).listen(Number(process.env.PORT), '127.0.0.1');
