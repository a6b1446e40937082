/** tmcp over HTTP. */

import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { HttpTransport } from '@tmcp/transport-http';
import { makeServer } from './tmcp.mjs';

const transport = new HttpTransport(makeServer({ cancels: true }), { path: '/mcp' });
const respond = async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 });
createServer(getRequestListener(respond)).listen(0, '127.0.0.1');
