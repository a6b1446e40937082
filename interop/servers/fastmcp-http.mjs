/**
 * The common set, by fastmcp, over HTTP, as far as it goes: it does not tell of changes of its tools, and asks for roots
 * before it knows of a client what it can do.
 */

import { FastMCP } from 'fastmcp';
import { z } from 'zod';
import { release, wait, waited, waiting } from './waits.mjs';
import { IDS, NAMES, starting } from './words.mjs';

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
const suggest = (words) => async (typed) => ({ values: starting(words)(typed) });
const sessionOf = (id) => server.sessions.find(({ sessionId }) => sessionId === id);
const key = z.object({ key: z.string().optional() });

server.addTool({
  name: 'add',
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
});

server.addTool({
  name: 'ask',
  execute: async (_args, { elicit }) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const answer = await elicit({ message: 'What is your name?', requestedSchema });
    return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action;
  },
});

server.addTool({
  name: 'sample',
  execute: async (_args, { sessionId }) => {
    const question = { role: 'user', content: { type: 'text', text: 'Say something' } };
    const { content } = await sessionOf(sessionId).requestSampling({ messages: [question], maxTokens: 10 });
    return `The model says ${content.text}`;
  },
});

server.addTool({
  name: 'count',
  execute: async (_args, { reportProgress }) => {
    for (const done of [1, 2, 3]) await reportProgress({ progress: done, total: 3 });
    return 'Counted';
  },
});

server.addTool({
  name: 'wait',
  parameters: key,
  execute: async (args, { reportProgress, signal }) => {
    const ended = wait(args, signal);
    await reportProgress({ progress: 1 });
    const end = await ended;
    await reportProgress({ progress: 2 });
    return end;
  },
});
for (const [name, does] of Object.entries({ waiting, waited, release })) {
  server.addTool({ name, parameters: key, execute: async (args) => does(args) });
}

server.addTool({
  name: 'touch',
  execute: async () => {
    await server.sendResourceUpdated('test://hello');
    return 'Touched';
  },
});

server.addResource({
  uri: 'test://hello',
  name: 'hello',
  mimeType: 'text/plain',
  load: async () => ({ text: 'Hello' }),
});

server.addResourceTemplate({
  uriTemplate: 'test://items/{id}',
  name: 'items',
  arguments: [{ name: 'id', required: true, complete: suggest(IDS) }],
  load: async ({ id }) => ({ text: `Item ${id}` }),
});

server.addPrompt({
  name: 'greet',
  arguments: [{ name: 'name', required: true, complete: suggest(NAMES) }],
  load: async ({ name }) => `Please greet ${name}`,
});

await server.start({ transportType: 'httpStream', httpStream: { port: 0, host: '127.0.0.1' } });
