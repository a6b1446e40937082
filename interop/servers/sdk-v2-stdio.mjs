/**
 * Version 2 of the official SDK over stdio: to clients of 2026-07-28 and of older revisions. With `legacy` as its
 * argument it is wired by hand, as before 2026-07-28, and speaks the older ones only.
 */

import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeServer } from './sdk-v2.mjs';

if (process.argv[2] === 'legacy') await makeServer().connect(new StdioServerTransport());
else serveStdio(() => makeServer());
