/** Tools that ask the client something before they answer. */

import { inputRequired, type McpServer } from 'mcpp/server';

const NAME = { type: 'object', properties: { name: { type: 'string', title: 'Name' } }, required: ['name'] } as const;
const YES = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } as const;

/** Registers them. */
export function addQuestions(server: McpServer): void {
  addForms(server);
  addUrl(server);
  addWaiting(server);
  addSampling(server);
  server.registerTool('roots', {}, async (_args, ctx) => {
    const { roots } = await ctx.listRoots();
    return roots.map(({ uri }) => uri).join(' ');
  });
}

function addForms(server: McpServer): void {
  const order = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', minLength: 1, default: 'Ada' },
      size: {
        type: 'string',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
      },
      count: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
      gift: { type: 'boolean', default: false },
    },
    required: ['name', 'size'],
  } as const;
  server.registerTool('order', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('What may it be?', order);
    return answer.action === 'accept' ? JSON.stringify(answer.content) : `You said ${answer.action}`;
  });
  const toppings = {
    type: 'object',
    properties: { toppings: { type: 'array', items: { type: 'string', enum: ['ham', 'egg'] } } },
  } as const;
  server.registerTool('toppings', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('What on it?', toppings);
    return JSON.stringify(answer);
  });
  let begun = 0;
  server.registerTool('two-questions', {}, async (_args, ctx) => {
    const order = await ctx.step('begin', () => ++begun);
    const first = await ctx.elicit('Who are you?', NAME);
    if (first.action !== 'accept') return 'Nobody';
    const second = await ctx.elicit(`Are you sure, ${first.content.name}?`, YES);
    return `${JSON.stringify(second)}, order ${order}, begun ${begun} time`;
  });
  const note = { type: 'object', properties: { note: { type: 'string' } } } as const;
  server.registerTool('pair', { inputSchema: note }, async (_args, ctx) => {
    const [left, right] = await Promise.all([
      ctx.elicit('Left?', NAME, { key: 'left' }),
      ctx.elicit('Right?', NAME, { key: 'right' }),
    ]);
    return `${JSON.stringify(left)} ${JSON.stringify(right)}`;
  });
  server.registerTool('plain', {}, (_args, ctx) => {
    const answer = ctx.inputResponses.get('name');
    if (answer) return `${JSON.stringify(answer)} ${JSON.stringify(ctx.state)}`;
    const params = { mode: 'form', message: 'Who are you?', requestedSchema: NAME } as const;
    return inputRequired({ requests: { name: { method: 'elicitation/create', params } }, state: { asked: 1 } });
  });
}

function addWaiting(server: McpServer): void {
  server.registerTool('later', {}, (_args, ctx) =>
    ctx.state === 'waited' ? 'Now' : inputRequired({ state: 'waited' }),
  );
}

function addUrl(server: McpServer): void {
  let looks = 0;
  // Not yet when it is looked at first, as with a person who has just been sent away.
  const until = (): boolean => ++looks > 1;
  server.registerTool('sign-in', {}, async (_args, ctx) => {
    const { action } = await ctx.elicitUrl('Please sign in', 'https://example.com/sign-in', { until });
    return action;
  });
  server.registerTool('visit', {}, async (_args, ctx) => {
    const { action } = await ctx.elicitUrl('Please have a look', 'https://example.com/');
    return action;
  });
}

function addSampling(server: McpServer): void {
  server.registerTool('sample', {}, async (_args, ctx) => {
    const { content } = await ctx.sample({
      messages: [
        { role: 'user', content: { type: 'text', text: 'Hello?' } },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Listen:' },
            { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
          ],
        },
      ],
      maxTokens: 100,
      systemPrompt: 'Be brief.',
      includeContext: 'thisServer',
    });
    return JSON.stringify(content);
  });
  server.registerTool('sample-with-tools', {}, async (_args, ctx) => {
    const { content } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'What time is it?' } }],
      maxTokens: 100,
      tools: [{ name: 'clock', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' },
    });
    return JSON.stringify(content);
  });
}
