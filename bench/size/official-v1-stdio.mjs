import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const server = new McpServer({ name: 'small', version: '1.0.0' });
server.registerTool('echo', {}, async () => ({ content: [{ type: 'text', text: 'hello' }] }));
await server.connect(new StdioServerTransport());
