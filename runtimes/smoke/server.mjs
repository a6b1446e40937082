/** The server that is tried on every runtime. Its schemas are raw JSON Schema, which have to be compiled or interpreted. */

import { McpServer } from 'mcpp/server';

const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });

/** A new server, and what it is asked by. */
export function makeServer() {
  let stopped = false;
  let steps = 0;
  const server = new McpServer({ name: 'smoke', version: '1.0.0' }, { onError: () => {} })
    .registerTool(
      'add',
      {
        inputSchema: object({ a: { type: 'number' }, b: { type: 'number', maximum: 100 } }),
        outputSchema: object({ sum: { type: 'number' } }),
        annotations: { readOnlyHint: true },
      },
      ({ a, b }) => ({ sum: a + b }),
    )
    .registerTool(
      'greet',
      {
        inputSchema: {
          ...object({ name: { type: 'string', allOf: [{ $ref: '#/$defs/name' }], 'x-mcp-header': 'Name' } }),
          $defs: { name: { pattern: '^[^<>]{1,20}$' } },
        },
      },
      ({ name }) => `Hello ${name}`,
    )
    .registerTool('count', {}, async (_args, ctx) => {
      for (const done of [1, 2, 3]) ctx.reportProgress(done, 3, `step ${done}`);
      await nextTurn();
      return 'Counted';
    })
    .registerTool('order', {}, async (_args, ctx) => {
      const receipt = await ctx.step('pay', () => ++steps);
      const size = await ctx.elicit('Which size?', object({ size: { type: 'string', enum: ['small', 'large'] } }));
      const name = await ctx.elicit('Whose name?', object({ name: { type: 'string' } }));
      if (size.action !== 'accept' || name.action !== 'accept') return 'Nothing ordered';
      return `A ${size.content.size} one for ${name.content.name}, paid ${steps - receipt + 1} time`;
    })
    .registerTool('wait', {}, async (_args, ctx) => {
      stopped = false;
      const aborted = new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
      ctx.reportProgress(1);
      await aborted;
      stopped = true;
      return 'Stopped';
    })
    .registerTool('stopped', {}, () => String(stopped))
    .registerTool('grow', {}, () => {
      server.registerTool('grown', { replace: true }, () => 'new');
      return 'Grown';
    })
    .registerTool('touch', {}, () => {
      server.resourceUpdated('test://note');
      return 'Touched';
    })
    .registerTool('break', {}, () => {
      throw new Error('pg://user:secret@10.0.0.5');
    })
    .registerResource('test://note', { name: 'note', mimeType: 'text/plain' }, () => 'A note')
    .registerPrompt('ask', { argsSchema: object({ about: { type: 'string' } }) }, ({ about }) => `Tell me of ${about}`);
  return server;
}

function nextTurn() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
