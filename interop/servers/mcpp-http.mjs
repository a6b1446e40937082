/** This package over HTTP, of 2024-11-05 as well. `node mcpp-http.mjs 2025-06-18` speaks that revision only. */

import { serveHttp } from '../../dist/entries/http.js';
import { makeServer } from './mcpp.mjs';

await serveHttp(makeServer(...process.argv.slice(2)), { port: 0, sse: true });
