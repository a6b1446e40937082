import { serveHttp } from '../../dist/entries/http.js';
import { McpServer } from '../../dist/entries/server.js';

const server = new McpServer({ name: 'small', version: '1.0.0' });
server.registerTool('echo', {}, async () => 'hello');
await serveHttp(server, { port: Number(process.env.PORT) });
