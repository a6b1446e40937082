// The smallest server of mcpp: one tool, whose schema needs no library.
import { McpServer } from '../../dist/entries/server.js';
import { serveStdio } from '../../dist/entries/stdio.js';

const jsonSchema = () => ({ type: 'object', properties: { message: { type: 'string' } }, required: ['message'] });
const validate = (value) =>
  typeof value?.message === 'string' ? { value } : { issues: [{ message: 'must be text', path: ['message'] }] };
const inputSchema = {
  '~standard': { version: 1, vendor: 'bench', validate, jsonSchema: { input: jsonSchema, output: jsonSchema } },
};

const server = new McpServer({ name: 'stub', version: '1.0.0' });
server.registerTool('echo', { inputSchema }, async ({ message }) => message);
await serveStdio(server);
