// The server under test: something of everything, over every transport, in a process of its own.

import { createServer } from 'node:net';
import { type } from 'arktype';
import { serveHttp } from 'mcpp/http';
import { McpServer, ToolError } from 'mcpp/server';
import { serveStdio } from 'mcpp/stdio';
import { serveWebSocket } from 'mcpp/websocket';
import * as v from 'valibot';
import { z } from 'zod';
import { underAttack } from '../test/hostile/bounds/measured.mjs';
import { measurements } from './measurements.mjs';
import { SECRET } from './secret.mjs';

const server = new McpServer({ name: 'fuzzed', version: '1' }, { instructions: 'None' });

const text = { type: 'string' };
const nameForm = { type: 'object', properties: { name: text }, required: ['name'] };
const checked = ({ name }) => `checked ${name}`;

server
  .registerTool(
    'zod',
    {
      inputSchema: z.object({
        items: z.record(z.string(), z.array(z.number())),
        name: z.string().optional(),
        when: z.union([z.number(), z.object({ at: z.string() })]).optional(),
      }),
    },
    checked,
  )
  .registerTool(
    'valibot',
    {
      inputSchema: v.object({
        items: v.record(v.string(), v.array(v.number())),
        name: v.optional(v.string()),
        when: v.optional(v.number()),
      }),
    },
    checked,
  )
  .registerTool(
    'arktype',
    { inputSchema: type({ items: { '[string]': 'number[]' }, 'name?': 'string', 'when?': 'number' }) },
    checked,
  )
  .registerTool(
    'raw',
    {
      inputSchema: {
        type: 'object',
        properties: {
          items: { type: 'object', additionalProperties: { type: 'array', items: { type: 'number' } } },
          name: { type: 'string', pattern: '^[A-Z][a-z]*$', maxLength: 100 },
          kind: { enum: ['one', 'two'] },
          list: {
            type: 'array',
            items: {
              anyOf: [
                { type: 'object', required: ['a'] },
                { type: 'object', properties: { b: text } },
              ],
            },
          },
        },
        required: ['items'],
      },
    },
    checked,
  )
  .registerTool(
    'header',
    {
      inputSchema: {
        type: 'object',
        properties: {
          region: { ...text, 'x-mcp-header': 'Region' },
          count: { type: 'integer', 'x-mcp-header': 'Count' },
        },
      },
    },
    ({ region }) => `in ${region}`,
  )
  .registerTool('echo', { inputSchema: { type: 'object', properties: { text } } }, ({ text: said = '' }) => said)
  .registerTool(
    'output',
    { inputSchema: z.object({ value: z.number() }), outputSchema: z.object({ value: z.number() }) },
    ({ value }) => ({ value }),
  )
  .registerTool(
    'big',
    { inputSchema: { type: 'object', properties: { size: { type: 'integer', maximum: 1_000_000 } } } },
    ({ size = 1000 }) => 'b'.repeat(Math.max(0, size)),
  )
  .registerTool('throws', {}, () => {
    throw new Error(SECRET);
  })
  .registerTool('refuses', {}, () => {
    throw new ToolError('no');
  })
  .registerTool(
    'progress',
    { inputSchema: { type: 'object', properties: { count: { type: 'integer', maximum: 50 } } } },
    async ({ count = 1 }, ctx) => {
      for (let done = 0; done < count; done++) {
        ctx.reportProgress(done, count, 'step');
        ctx.log.info({ done });
        if (done % 10 === 0) await undefined;
      }
      return 'done';
    },
  )
  .registerTool('change', { inputSchema: { type: 'object', properties: { uri: text } } }, ({ uri = 'note://1' }) => {
    if (uri.length % 2 === 0) server.tools.disable('hidden');
    else server.tools.enable('hidden');
    server.resourceUpdated(uri);
    return 'changed';
  })
  .registerTool(
    'scoped',
    { inputSchema: { type: 'object', properties: { path: text } }, scopes: ['write'] },
    () => 'written',
  )
  .registerTool('hidden', { visible: ({ principal }) => principal?.scopes?.includes('write') === true }, () => 'seen')
  .registerTool('ask', {}, async (_args, ctx) => (await ctx.elicit('Name?', nameForm)).action)
  .registerTool('ask-twice', {}, async (_args, ctx) => {
    const first = await ctx.step('first', () => ({ at: 1 }));
    const answers = await Promise.all([
      ctx.elicit('Name?', z.object({ name: z.string() })),
      ctx.elicit('Age?', z.object({ age: z.number().optional() })),
    ]);
    return `${first.at} ${answers.map(({ action }) => action)}`;
  })
  .registerTool('sample', {}, async (_args, ctx) => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
    return JSON.stringify((await ctx.sample({ messages, maxTokens: 5 })).content);
  })
  .registerTool('roots', {}, async (_args, ctx) => JSON.stringify((await ctx.listRoots()).roots))
  .registerTool('visit', {}, async (_args, ctx) => (await ctx.elicitUrl('Sign in', 'https://example.com/')).action)
  .registerTool(
    'wait',
    {},
    (_args, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve('aborted'))),
  )
  .registerPrompt(
    'review',
    {
      argsSchema: z.object({ language: z.string(), code: z.string() }),
      complete: { language: (typed) => ['ruby', 'rust'].filter((name) => name.startsWith(typed)) },
    },
    ({ language, code }) => `Review this ${language}: ${code}`,
  )
  .registerPrompt('plain', {}, () => 'Hello')
  .registerResource('note://1', 'text/plain', () => 'one')
  .registerResourceTemplate('note://{id}/today', {}, ({ id }) => `note ${id}`)
  .registerResourceTemplate(
    'users://{id}/profile',
    { complete: { id: (typed) => ['4', '42'].filter((id) => id.startsWith(typed)) } },
    ({ id }) => (id === '42' ? 'Ada' : undefined),
  )
  .registerResourceTemplate('search://x{?q,page}', {}, ({ q, page }) => `${q} ${page}`)
  .registerResourceTemplate('file:///{+path}', { scopes: ['read'] }, ({ path }) => path);
for (let index = 0; index < 8; index++) server.registerResourceTemplate(`t${index}://{a}/{b}`, {}, ({ a, b }) => a + b);

const cycle = {};
cycle.self = cycle;
const ODD_RESULTS = {
  boxed: new String('boxed'),
  'to-json': { toJSON: () => 7 },
  undefined,
  function: () => 1,
  cycle,
  bigint: { value: 1n },
  text: 'text',
  array: [1],
  date: new Date(0),
};
server.setHandler('fuzz/result', (params) =>
  Object.hasOwn(ODD_RESULTS, params?.kind) ? ODD_RESULTS[params.kind] : {},
);

const SCOPES = { reader: ['read'], writer: ['read', 'write'] };
const auth = (credentials) => {
  const scopes = Object.hasOwn(SCOPES, credentials?.token ?? '') ? SCOPES[credentials.token] : undefined;
  return scopes ? { subject: credentials.token, scopes } : { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } };
};

// Standard input and output over a socket, so that one process serves any number of connections.
const stdio = createServer(async (socket) => {
  socket.on('error', () => {});
  const serving = await serveStdio(server, { input: socket, output: socket, exit: false });
  await serving.closed;
  socket.destroy();
});
await new Promise((resolve) => stdio.listen(0, '127.0.0.1', resolve));

const [http, secureHttp] = await Promise.all([
  serveHttp(server, { port: 0, sse: true }),
  serveHttp(server, { port: 0, sse: true, auth }),
]);
const [websocket, secureWebsocket] = await Promise.all([
  serveWebSocket(server, { port: 0 }),
  serveWebSocket(server, { port: 0, auth }),
]);
const ports = {
  stdio: stdio.address().port,
  http: http.port,
  secureHttp: secureHttp.port,
  websocket: Number(new URL(websocket.url).port),
  secureWebsocket: Number(new URL(secureWebsocket.url).port),
};
underAttack({ ready: { ports }, actions: measurements });
