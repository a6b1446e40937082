/** Preloaded into every peer: writes down its process id, so that it can be seen whether the process is gone. */

import { writeFileSync } from 'node:fs';

const file = process.env.MCPP_INTEROP_PID;
if (file) writeFileSync(file, String(process.pid));
