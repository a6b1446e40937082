// The smallest server of mcpp: one tool, whose schema is zod's.
import { z } from 'zod';
import { McpServer } from '../../dist/entries/server.js';
import { serveStdio } from '../../dist/entries/stdio.js';

const server = new McpServer({ name: 'zod', version: '1.0.0' });
server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, async ({ message }) => message);
await serveStdio(server);
