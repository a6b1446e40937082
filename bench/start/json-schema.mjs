// The smallest server of mcpp: one tool, whose schema is plain JSON Schema.
import { McpServer } from '../../dist/entries/server.js';
import { serveStdio } from '../../dist/entries/stdio.js';

const inputSchema = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };

const server = new McpServer({ name: 'json-schema', version: '1.0.0' });
server.registerTool('echo', { inputSchema }, async ({ message }) => message);
await serveStdio(server);
