/** The common set, by version 1 of the official SDK. */

import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { release, wait, waited, waiting } from './waits.mjs';
import { IDS, NAMES, starting } from './words.mjs';

const text = (said) => ({ content: [{ type: 'text', text: said }] });
const key = { inputSchema: { key: z.string().optional() } };

/** Sends progress, if the caller wants it. */
async function report({ _meta, sendNotification }, progress) {
  const { progressToken } = _meta ?? {};
  if (progressToken === undefined) return;
  await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
}

/**
 * A server for one connection, without some of the tools. Over HTTP, questions go with the call they belong to, or over
 * the stream that belongs to none: `aside`, and always those for roots.
 */
export function makeServer({ without = [], aside = false } = {}) {
  const capabilities = { resources: { subscribe: true, listChanged: true } };
  const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' }, { capabilities });
  const subscribed = new Set();
  const tool = (name, config, handler) => {
    if (!without.includes(name)) server.registerTool(name, config, handler);
  };
  const along = ({ requestId }) => (aside ? {} : { relatedRequestId: requestId });

  tool('add', { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } }, ({ a, b }) => ({
    ...text(String(a + b)),
    structuredContent: { sum: a + b },
  }));

  tool('ask', {}, async (extra) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const question = { message: 'What is your name?', requestedSchema };
    const answer = await server.server.elicitInput(question, along(extra));
    return text(answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action);
  });

  tool('sample', {}, async (extra) => {
    const question = { role: 'user', content: { type: 'text', text: 'Say something' } };
    const { content } = await server.server.createMessage({ messages: [question], maxTokens: 10 }, along(extra));
    return text(`The model says ${content.text}`);
  });

  tool('roots', {}, async () => {
    const { roots } = await server.server.listRoots();
    return text(roots.map(({ uri }) => uri).join());
  });

  tool('count', {}, async (extra) => {
    for (const done of [1, 2, 3]) await report(extra, done);
    return text('Counted');
  });

  tool('wait', key, async (args, extra) => {
    const ended = wait(args, extra.signal);
    await report(extra, 1);
    const end = await ended;
    await report(extra, 2);
    return text(end);
  });
  tool('waiting', key, async (args) => text(await waiting(args)));
  tool('waited', key, async (args) => text(await waited(args)));
  tool('release', key, (args) => text(release(args)));

  tool('grow', {}, () => {
    server.registerTool('grown', {}, () => text('new'));
    return text('Grown');
  });

  tool('touch', {}, async () => {
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
  return server;
}
