/** The common set, served by version 1 of the official SDK. */

import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { abortOf, IDS, NAMES, starting } from './words.mjs';

const text = (said) => ({ content: [{ type: 'text', text: said }] });
const capabilities = { resources: { subscribe: true, listChanged: true } };
const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' }, { capabilities });
const subscribed = new Set();
let cancelled = false;
const cancel = () => {
  cancelled = true;
};

server.registerTool(
  'add',
  { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
  ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
);

server.registerTool('ask', {}, async () => {
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const answer = await server.server.elicitInput({ message: 'What is your name?', requestedSchema });
  return text(answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action);
});

server.registerTool('sample', {}, async () => {
  const question = { role: 'user', content: { type: 'text', text: 'Say something' } };
  const { content } = await server.server.createMessage({ messages: [question], maxTokens: 10 });
  return text(`The model says ${content.text}`);
});

server.registerTool('roots', {}, async () => {
  const { roots } = await server.server.listRoots();
  return text(roots.map(({ uri }) => uri).join());
});

/** Sends progress, if the caller wants it. */
async function report({ _meta, sendNotification }, progress) {
  const { progressToken } = _meta ?? {};
  if (progressToken === undefined) return;
  await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
}

server.registerTool('count', {}, async (extra) => {
  for (const done of [1, 2, 3]) await report(extra, done);
  return text('Counted');
});

server.registerTool('wait', {}, async (extra) => {
  const aborted = abortOf(extra.signal, cancel);
  await report(extra, 1);
  await aborted;
  return text('Stopped');
});

server.registerTool('waited', {}, () => text(cancelled ? 'cancelled' : 'not cancelled'));

server.registerTool('grow', {}, () => {
  server.registerTool('grown', {}, () => text('new'));
  return text('Grown');
});

server.registerTool('touch', {}, async () => {
  if (subscribed.has('test://hello')) await server.server.sendResourceUpdated({ uri: 'test://hello' });
  return text('Touched');
});

server.registerResource('hello', 'test://hello', { mimeType: 'text/plain' }, () => ({
  contents: [{ uri: 'test://hello', mimeType: 'text/plain', text: 'Hello' }],
}));

server.registerResource(
  'items',
  new ResourceTemplate('test://items/{id}', { list: undefined, complete: { id: starting(IDS) } }),
  {},
  ({ href }, { id }) => ({ contents: [{ uri: href, text: `Item ${id}` }] }),
);

server.registerPrompt('greet', { argsSchema: { name: completable(z.string(), starting(NAMES)) } }, ({ name }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Please greet ${name}` } }],
}));

server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
  subscribed.add(params.uri);
  return {};
});
server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
  subscribed.delete(params.uri);
  return {};
});

await server.connect(new StdioServerTransport());
