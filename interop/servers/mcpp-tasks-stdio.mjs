/** Tools that run as tasks, over stdio. */

import { serveStdio } from '../../dist/entries/stdio.js';
import { makeServer } from './mcpp-tasks.mjs';

await serveStdio(makeServer());
