/** The server on Node, with a server of Node's own. */

import { serveHttp } from 'mcpp/http';
import { makeServer } from '../smoke/server.mjs';
import { report } from './report.mjs';

const { url } = await serveHttp(makeServer(), { port: 0 });
await report(url);
