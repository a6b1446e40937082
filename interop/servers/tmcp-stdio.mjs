/** tmcp over stdio. */

import { StdioTransport } from '@tmcp/transport-stdio';
import { makeServer } from './tmcp.mjs';

new StdioTransport(makeServer({ cancels: false })).listen();
