// An HTTP server whose tools have schemas of each library.

import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import { z } from 'zod';
import { underAttack } from '../measured.mjs';

const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} }).registerTool(
  'zod',
  { inputSchema: z.object({ items: z.record(z.string(), z.array(z.number())) }) },
  () => 'ok',
);
const { port } = await serveHttp(server, { port: 0 });
underAttack({ ready: { port } });
