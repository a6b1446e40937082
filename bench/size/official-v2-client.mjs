import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [target] = process.argv.slice(2);
const client = new Client({ name: 'small', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [target] }));
await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
await client.close();
