/** Serves the server named on the command line. */

import { serveStdio } from 'mcpp/stdio';
import { makeServer } from './servers.ts';

await serveStdio(makeServer(process.argv[2] ?? 'everything'));
