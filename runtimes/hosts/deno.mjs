/** The server on Deno. */

import { fetchHandler } from 'mcpp/fetch';
import { makeServer } from '../smoke/server.mjs';
import { report } from './report.mjs';

const options = { port: 0, hostname: '127.0.0.1', onListen: () => {} };
const { addr } = Deno.serve(options, fetchHandler(makeServer()));
await report(`http://127.0.0.1:${addr.port}/mcp`);
