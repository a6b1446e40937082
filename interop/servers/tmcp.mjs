/** The common set, by tmcp, as far as it goes. */

import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import { complete, prompt, resource, tool } from 'tmcp/utils';
import { z } from 'zod';
import { release, wait, waited, waiting } from './waits.mjs';
import { IDS, NAMES, starting } from './words.mjs';

const suggest = (words) => (typed) => complete.values(starting(words)(typed));
const key = z.object({ key: z.string().optional() });

/** The server. `cancels`: its transport has a signal for calls that are taken back. */
export function makeServer({ cancels }) {
  const server = new McpServer(
    { name: 'tmcp', version: '1.0.0', description: 'The common set' },
    {
      adapter: new ZodJsonSchemaAdapter(),
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
      },
    },
  );

  server.tool(
    {
      name: 'add',
      description: 'Adds',
      schema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => tool.structured({ sum: a + b }),
  );

  server.tool({ name: 'ask', description: 'Asks for a name', replayable: true }, async () => {
    const answer = await server.elicitation('What is your name?', z.object({ name: z.string() }));
    return tool.text(answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action);
  });

  server.tool({ name: 'sample', description: 'Asks the model', replayable: true }, async () => {
    const question = { role: 'user', content: { type: 'text', text: 'Say something' } };
    const { content } = await server.message({ messages: [question], maxTokens: 10 });
    return tool.text(`The model says ${content.text}`);
  });

  // Without a session it cannot ask for roots.
  let session = false;
  server.on('initialize', () => {
    session = true;
  });
  server.tool({ name: 'roots', description: 'Lists roots', enabled: () => session }, async () => {
    await server.refreshRoots();
    return tool.text(server.roots.map(({ uri }) => uri).join());
  });

  server.tool({ name: 'count', description: 'Counts' }, () => {
    for (const done of [1, 2, 3]) server.progress(done, 3, `step ${done}`);
    return tool.text('Counted');
  });

  server.tool({ name: 'wait', description: 'Waits', schema: key, enabled: () => cancels }, async (args) => {
    const ended = wait(args, server.ctx.signal);
    server.progress(1);
    const end = await ended;
    server.progress(2);
    return tool.text(end);
  });
  for (const [name, does] of Object.entries({ waiting, waited, release })) {
    server.tool({ name, description: 'About one that waits', schema: key }, async (args) =>
      tool.text(await does(args)),
    );
  }

  server.tool({ name: 'grow', description: 'Adds a tool' }, () => {
    server.tool({ name: 'grown', description: 'The new one' }, () => tool.text('new'));
    return tool.text('Grown');
  });

  server.tool({ name: 'touch', description: 'Changes a resource' }, () => {
    server.changed('resource', 'test://hello');
    return tool.text('Touched');
  });

  server.resource({ name: 'hello', description: 'A text', uri: 'test://hello', mimeType: 'text/plain' }, (uri) =>
    resource.text(uri, 'Hello', 'text/plain'),
  );

  server.template(
    { name: 'items', description: 'Items', uri: 'test://items/{id}', complete: { id: suggest(IDS) } },
    (uri, { id }) => resource.text(uri, `Item ${id}`),
  );

  server.prompt(
    {
      name: 'greet',
      description: 'Greets',
      schema: z.object({ name: z.string() }),
      complete: { name: suggest(NAMES) },
    },
    ({ name }) => prompt.message(`Please greet ${name}`),
  );
  return server;
}
