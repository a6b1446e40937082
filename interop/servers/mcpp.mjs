/** The common set, by this package. */

import { McpServer } from '../../dist/entries/server.js';
import { release, wait, waited, waiting } from './waits.mjs';
import { IDS, NAMES, starting } from './words.mjs';

const object = (type, ...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type }])),
});
const demanding = (schema) => ({ ...schema, required: Object.keys(schema.properties) });
const numbers = (...names) => demanding(object('number', ...names));
const key = { inputSchema: object('string', 'key') };
const name = demanding(object('string', 'name'));

/** The server. It speaks these revisions only, if there are any. */
export function makeServer(...revisions) {
  const options = revisions.length > 0 ? { revisions } : {};
  const server = new McpServer({ name: 'mcpp', version: '1.0.0' }, options);

  server.registerTool('add', { inputSchema: numbers('a', 'b'), outputSchema: numbers('sum') }, ({ a, b }) => ({
    sum: a + b,
  }));

  // Before, there was no elicitation.
  if (!revisions.some((revision) => revision < '2025-06-18')) {
    server.registerTool('ask', {}, async (_args, ctx) => {
      const answer = await ctx.elicit('What is your name?', name);
      return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action;
    });
  }

  server.registerTool('sample', {}, async (_args, ctx) => {
    const question = { role: 'user', content: { type: 'text', text: 'Say something' } };
    const { content } = await ctx.sample({ messages: [question], maxTokens: 10 });
    return `The model says ${content.text}`;
  });

  server.registerTool('roots', {}, async (_args, ctx) => (await ctx.listRoots()).roots.map(({ uri }) => uri).join());

  server.registerTool('count', {}, (_args, ctx) => {
    for (const done of [1, 2, 3]) ctx.reportProgress(done, 3, `step ${done}`);
    return 'Counted';
  });

  server.registerTool('wait', key, async (args, ctx) => {
    const ended = wait(args, ctx.signal);
    ctx.reportProgress(1);
    const end = await ended;
    ctx.reportProgress(2);
    return end;
  });
  server.registerTool('waiting', key, waiting);
  server.registerTool('waited', key, waited);
  server.registerTool('release', key, release);

  server.registerTool('grow', { inputSchema: object('string', 'name') }, ({ name = 'grown' }) => {
    server.registerTool(name, {}, () => 'new');
    return 'Grown';
  });

  server.registerTool('touch', { inputSchema: object('string', 'uri') }, ({ uri = 'test://hello' }) => {
    server.resourceUpdated(uri);
    return 'Touched';
  });

  server.registerResource('test://hello', { name: 'hello', mimeType: 'text/plain' }, () => 'Hello');
  server.registerResourceTemplate(
    'test://items/{id}',
    { name: 'items', complete: { id: starting(IDS) } },
    ({ id }) => `Item ${id}`,
  );
  server.registerPrompt(
    'greet',
    { argsSchema: name, complete: { name: starting(NAMES) } },
    ({ name }) => `Please greet ${name}`,
  );
  return server;
}
