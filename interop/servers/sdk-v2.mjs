/**
 * The common set, served by version 2 of the official SDK: to clients of 2026-07-28 and of older revisions. With
 * `legacy` as its argument it is wired by hand, as before 2026-07-28, and speaks the older ones only.
 */

import { completable, inputRequired, inputResponse, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { abortOf, IDS, NAMES, starting } from './words.mjs';

const text = (said) => ({ content: [{ type: 'text', text: said }] });
const nothing = z.object({});

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

function makeServer() {
  const capabilities = { resources: { subscribe: true, listChanged: true } };
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' }, { capabilities });
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
  };

  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );

  const name = inputRequired.elicit({
    message: 'What is your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  });
  server.registerTool(
    'ask',
    { inputSchema: nothing },
    asking(name, ({ action, content }) => (action === 'accept' ? `Hello ${content.name}` : action)),
  );

  const something = inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say something' } }],
    maxTokens: 10,
  });
  server.registerTool(
    'sample',
    { inputSchema: nothing },
    asking(something, ({ result }) => `The model says ${result.content.text}`),
  );

  server.registerTool(
    'roots',
    { inputSchema: nothing },
    asking(inputRequired.listRoots(), ({ roots }) => roots.map(({ uri }) => uri).join()),
  );

  server.registerTool('count', { inputSchema: nothing }, async (_args, ctx) => {
    for (const done of [1, 2, 3]) await report(ctx, done);
    return text('Counted');
  });

  server.registerTool('wait', { inputSchema: nothing }, async (_args, ctx) => {
    const aborted = abortOf(ctx.mcpReq.signal, cancel);
    await report(ctx, 1);
    await aborted;
    return text('Stopped');
  });

  server.registerTool('waited', { inputSchema: nothing }, () => text(cancelled ? 'cancelled' : 'not cancelled'));

  server.registerTool('grow', { inputSchema: nothing }, () => {
    server.registerTool('grown', { inputSchema: nothing }, () => text('new'));
    return text('Grown');
  });

  server.registerTool('touch', { inputSchema: nothing }, async () => {
    await server.server.sendResourceUpdated({ uri: 'test://hello' });
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

if (process.argv[2] === 'legacy') await makeServer().connect(new StdioServerTransport());
else serveStdio(makeServer);
