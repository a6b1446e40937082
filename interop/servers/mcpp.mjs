/** The common set, served by this package. `node mcpp.mjs 2025-06-18` speaks that revision only. */

import { McpServer } from '../../dist/entries/server.js';
import { serveStdio } from '../../dist/entries/stdio.js';
import { abortOf, IDS, NAMES, starting } from './words.mjs';

const numbers = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])),
  required: names,
});
const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
let cancelled = false;
const cancel = () => {
  cancelled = true;
};

const [revision = '2026-07-28'] = process.argv.slice(2);

const server = new McpServer({ name: 'mcpp', version: '1.0.0' }, { revisions: [revision] })
  .registerTool('add', { inputSchema: numbers('a', 'b'), outputSchema: numbers('sum') }, ({ a, b }) => ({ sum: a + b }))
  .registerTool('sample', {}, async (_args, ctx) => {
    const question = { role: 'user', content: { type: 'text', text: 'Say something' } };
    const { content } = await ctx.sample({ messages: [question], maxTokens: 10 });
    return `The model says ${content.text}`;
  })
  .registerTool('roots', {}, async (_args, ctx) => (await ctx.listRoots()).roots.map(({ uri }) => uri).join())
  .registerTool('count', {}, (_args, ctx) => {
    for (const done of [1, 2, 3]) ctx.reportProgress(done, 3, `step ${done}`);
    return 'Counted';
  })
  .registerTool('wait', {}, async (_args, ctx) => {
    const aborted = abortOf(ctx.signal, cancel);
    ctx.reportProgress(1);
    await aborted;
    return 'Stopped';
  })
  .registerTool('waited', {}, () => (cancelled ? 'cancelled' : 'not cancelled'))
  .registerTool('grow', {}, () => {
    server.registerTool('grown', {}, () => 'new');
    return 'Grown';
  })
  .registerTool('touch', {}, () => {
    server.resourceUpdated('test://hello');
    return 'Touched';
  })
  .registerResource('test://hello', { name: 'hello', mimeType: 'text/plain' }, () => 'Hello')
  .registerResourceTemplate(
    'test://items/{id}',
    { name: 'items', complete: { id: starting(IDS) } },
    ({ id }) => `Item ${id}`,
  )
  .registerPrompt(
    'greet',
    { argsSchema: name, complete: { name: starting(NAMES) } },
    ({ name }) => `Please greet ${name}`,
  );

// Before, there was no elicitation.
if (revision >= '2025-06-18') {
  server.registerTool('ask', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('What is your name?', name);
    return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action;
  });
}

await serveStdio(server);
