// A small question with a large answer, by mcpp with every default.
import { z } from 'zod';
import { serveHttp } from '../../dist/entries/http.js';
import { McpServer } from '../../dist/entries/server.js';
import { textOf } from './text.mjs';

const server = new McpServer({ name: 'mcpp', version: '1.0.0' }).registerTool(
  'text',
  { inputSchema: z.object({ bytes: z.number() }) },
  async ({ bytes }) => textOf(bytes),
);
await serveHttp(server, { port: Number(process.env.PORT) });
