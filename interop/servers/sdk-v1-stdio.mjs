/** Version 1 of the official SDK over stdio. */

import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { makeServer } from './sdk-v1.mjs';

await makeServer().connect(new StdioServerTransport());
