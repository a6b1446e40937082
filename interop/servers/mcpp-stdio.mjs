/** This package over stdio. `node mcpp-stdio.mjs 2025-06-18` speaks that revision only. */

import { serveStdio } from '../../dist/entries/stdio.js';
import { makeServer } from './mcpp.mjs';

await serveStdio(makeServer(...process.argv.slice(2)));
