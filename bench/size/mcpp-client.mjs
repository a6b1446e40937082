import { connect } from '../../dist/entries/client.js';

const [target] = process.argv.slice(2);
const mcp = await connect(target.startsWith('http') ? target : { command: process.execPath, args: [target] });
await mcp.callTool('echo', { message: 'hello' });
await mcp.close();
