/** The common set, by version 2 of the official SDK. */

import { completable, inputRequired, inputResponse, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { release, wait, waited, waiting } from './waits.mjs';
import { IDS, NAMES, starting } from './words.mjs';

const text = (said) => ({ content: [{ type: 'text', text: said }] });
const nothing = z.object({});
const key = { inputSchema: z.object({ key: z.string().optional() }) };

/** Asks one question, then goes on with the answer. */
const asking = (question, go) => (_args, ctx) => {
  const answer = inputResponse(ctx.mcpReq.inputResponses, 'answer');
  if (answer.kind === 'missing') return inputRequired({ inputRequests: { answer: question } });
  return text(go(answer));
};

/** Sends progress, if the caller wants it. */
async function report({ mcpReq }, progress) {
  const { progressToken } = mcpReq._meta ?? {};
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
}

/** What a server for a connection of its own does with changes. */
const OWN = {
  grown: [],
  grow: (server) => server.registerTool('grown', { inputSchema: nothing }, () => text('new')),
  touch: (server) => server.server.sendResourceUpdated({ uri: 'test://hello' }),
};

/** A server for one connection or one request, without some of the tools, which says what to do with changes. */
export function makeServer({ without = [], changes = OWN } = {}) {
  const capabilities = { resources: { subscribe: true, listChanged: true } };
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' }, { capabilities });
  const tool = (name, config, handler) => {
    if (!without.includes(name)) server.registerTool(name, config, handler);
  };

  tool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );

  const name = inputRequired.elicit({
    message: 'What is your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  });
  tool(
    'ask',
    { inputSchema: nothing },
    asking(name, ({ action, content }) => (action === 'accept' ? `Hello ${content.name}` : action)),
  );

  const something = inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say something' } }],
    maxTokens: 10,
  });
  tool(
    'sample',
    { inputSchema: nothing },
    asking(something, ({ result }) => `The model says ${result.content.text}`),
  );

  tool(
    'roots',
    { inputSchema: nothing },
    asking(inputRequired.listRoots(), ({ roots }) => roots.map(({ uri }) => uri).join()),
  );

  tool('count', { inputSchema: nothing }, async (_args, ctx) => {
    for (const done of [1, 2, 3]) await report(ctx, done);
    return text('Counted');
  });

  tool('wait', key, async (args, ctx) => {
    const ended = wait(args, ctx.mcpReq.signal);
    await report(ctx, 1);
    const end = await ended;
    await report(ctx, 2);
    return text(end);
  });
  tool('waiting', key, async (args) => text(await waiting(args)));
  tool('waited', key, async (args) => text(await waited(args)));
  tool('release', key, (args) => text(release(args)));

  tool('grow', { inputSchema: nothing }, () => {
    changes.grow(server);
    return text('Grown');
  });
  for (const name of changes.grown) tool(name, { inputSchema: nothing }, () => text('new'));

  tool('touch', { inputSchema: nothing }, async () => {
    await changes.touch(server);
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

  const argsSchema = z.object({ name: completable(z.string(), starting(NAMES)) });
  server.registerPrompt('greet', { argsSchema }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Please greet ${name}` } }],
  }));

  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    server.server.setRequestHandler(method, () => ({}));
  }
  return server;
}
