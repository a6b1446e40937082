/** The demo's server: one of each thing there is. It holds no connection, so the same object serves any transport. */

import { setTimeout } from 'node:timers/promises';
import { McpServer } from 'mcpp/server';

export const server = new McpServer(
  { name: 'demo', title: 'mcpp demo', version: '1.0.0' },
  { instructions: 'A demonstration. Nothing here has an effect on anything.' },
);

server.registerTool(
  'HelloTool',
  {
    description: 'Greets a person',
    inputSchema: { type: 'object', properties: { value: { type: 'string', minLength: 1 } }, required: ['value'] },
    annotations: { readOnlyHint: true },
  },
  ({ value }) => `Hello ${value}!`,
);

server.registerTool(
  'count',
  {
    description: 'Counts slowly, and tells how far it got',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'integer', minimum: 1, maximum: 100 } },
      required: ['to'],
    },
    outputSchema: { type: 'object', properties: { counted: { type: 'integer' } }, required: ['counted'] },
    annotations: { readOnlyHint: true },
  },
  async ({ to }, ctx) => {
    for (let number = 1; number <= to; number++) {
      await setTimeout(100, undefined, { signal: ctx.signal });
      ctx.reportProgress(number, to, `${number} of ${to}`);
    }
    return { counted: to };
  },
);

server.registerTool('choose_tea', { description: 'Asks the person which tea they would like' }, async (_, ctx) => {
  const answer = await ctx.elicit('Which tea?', {
    type: 'object',
    properties: { tea: { type: 'string', enum: ['green', 'black', 'mint'], default: 'mint' } },
    required: ['tea'],
  });
  return answer.action === 'accept' ? `One ${answer.content.tea} tea, coming up.` : 'No tea, then.';
});

server.registerResource('demo://about', 'text/plain', () => 'This is the demo server of mcpp.');
server.registerResourceTemplate('demo://squares/{number}', { name: 'square', mimeType: 'text/plain' }, ({ number }) =>
  String(Number(number) ** 2),
);
server.registerPrompt(
  'haiku',
  {
    description: 'Asks for a haiku',
    argsSchema: { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] },
  },
  ({ topic }) => `Write a haiku about ${topic}.`,
);
