/** The server on Bun. */

import { fetchHandler } from 'mcpp/fetch';
import { makeServer } from '../smoke/server.mjs';
import { report } from './report.mjs';

const { port } = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: fetchHandler(makeServer()) });
await report(`http://127.0.0.1:${port}/mcp`);
