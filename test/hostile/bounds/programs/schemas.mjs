// An HTTP server whose tools, prompts and templates have schemas of each library.

import { type } from 'arktype';
import { serveHttp } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import * as v from 'valibot';
import { z } from 'zod';
import { underAttack } from '../measured.mjs';

const raw = {
  type: 'object',
  properties: {
    items: { type: 'object', additionalProperties: { type: 'array', items: { type: 'number' } } },
  },
};
const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} })
  .registerTool('zod', { inputSchema: z.object({ items: z.record(z.string(), z.array(z.number())) }) }, () => 'ok')
  .registerTool(
    'union',
    {
      inputSchema: z.object({
        items: z.array(
          z.union([z.number(), z.boolean(), z.object({ a: z.string() }), z.object({ b: z.string(), c: z.number() })]),
        ),
      }),
    },
    () => 'ok',
  )
  .registerTool(
    'rows',
    { inputSchema: z.object({ items: z.array(z.object({ a: z.string(), b: z.number(), c: z.boolean() })) }) },
    () => 'ok',
  )
  .registerTool('valibot', { inputSchema: v.object({ items: v.record(v.string(), v.array(v.number())) }) }, () => 'ok')
  .registerTool('arktype', { inputSchema: type({ items: { '[string]': 'number[]' } }) }, () => 'ok')
  .registerTool('raw', { inputSchema: raw }, () => 'ok')
  .registerTool('closed', { inputSchema: { type: 'object', properties: {}, additionalProperties: false } }, () => 'ok')
  .registerPrompt('prompt', { argsSchema: z.object({ a: z.string().max(3) }).catchall(z.string().max(3)) }, () => 'ok')
  .registerTool('ask', {}, async (_, ctx) => {
    const answer = await ctx.elicit('?', z.object({ a: z.number() }).catchall(z.number()));
    return answer.action;
  });
for (let n = 0; n < 50; n++) server.registerResourceTemplate(`x${n}:{+rest}`, {}, () => 'ok');
server.registerResource('scoped:a', { scopes: ['a'] }, () => 'ok');
const { port } = await serveHttp(server, { port: 0 });
underAttack({ ready: { port } });
