import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { tool } from 'tmcp/utils';

const server = new McpServer(
  { name: 'small', version: '1.0.0', description: 'small' },
  { adapter: undefined, capabilities: { tools: {} } },
);
server.tool({ name: 'echo', description: 'echo' }, async () => tool.text('hello'));
new StdioTransport(server).listen();
