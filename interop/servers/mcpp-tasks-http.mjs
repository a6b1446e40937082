/** Tools that run as tasks, over HTTP. */

import { serveHttp } from '../../dist/entries/http.js';
import { makeServer } from './mcpp-tasks.mjs';

await serveHttp(makeServer(), { port: 0 });
