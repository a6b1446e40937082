import { McpServer } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';

const server = new McpServer({ name: 'GreetingServer', version: '1.0.0' }).registerTool(
  'HelloTool',
  {
    description: 'A tool that greets users',
    inputSchema: {
      type: 'object',
      properties: { value: { type: 'string', description: 'User name to greet' } },
      required: ['value'],
    },
  },
  ({ value }) => `Hello ${value}!`,
);

await serveStdio(server);
