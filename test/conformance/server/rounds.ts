/** Tools whose questions take one round or more: straight-line code, which the client's calls carry on. */

import type { McpServer } from 'mcpp/server';
import { said, told } from './questions.ts';

const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const COLOR = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] } as const;
const OK = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } as const;

/** Registers them. */
export function addRounds(server: McpServer): void {
  server.registerTool(
    'test_input_required_result_sampling',
    { description: "Asks the client's model, in a round of its own" },
    async (_args, ctx) =>
      said(await ctx.sample(user('What is the capital of France?', 100), { key: 'capital_question' })),
  );

  server.registerTool(
    'test_input_required_result_list_roots',
    { description: 'Asks which folders it may look at' },
    async (_args, ctx) => {
      const { roots } = await ctx.listRoots({ key: 'client_roots' });
      return `Roots: ${roots.map(({ uri }) => uri).join(' ')}`;
    },
  );

  server.registerTool(
    'test_input_required_result_request_state',
    { description: 'Remembers across a question what it did before' },
    async (_args, ctx) => {
      const done = await ctx.step('prepare', () => 'state-ok');
      return `${done}: ${told(await ctx.elicit('Please confirm', OK, { key: 'confirm' }))}`;
    },
  );

  server.registerTool(
    'test_input_required_result_tampered_state',
    { description: 'Refuses a state that is not its own' },
    async (_args, ctx) => told(await ctx.elicit('Please confirm', OK, { key: 'confirm' })),
  );

  server.registerTool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks three things at once' },
    async (_args, ctx) => {
      const [name, greeting, { roots }] = await Promise.all([
        ctx.elicit('What is your name?', NAME, { key: 'user_name' }),
        ctx.sample(user('Generate a greeting', 50), { key: 'greeting' }),
        ctx.listRoots({ key: 'client_roots' }),
      ]);
      return `${told(name)}, ${said(greeting)}, ${roots.length} roots`;
    },
  );

  server.registerTool(
    'test_input_required_result_multi_round',
    { description: 'Asks, and then asks again' },
    async (_args, ctx) => {
      const first = await ctx.elicit('Step 1: What is your name?', NAME, { key: 'step1' });
      if (first.action !== 'accept') return told(first);
      const second = await ctx.elicit('Step 2: What is your favorite color?', COLOR, { key: 'step2' });
      return `${first.content.name}: ${told(second)}`;
    },
  );

  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks what the client can be asked' },
    async (_args, ctx) => {
      if (ctx.can('elicitation.form')) return told(await ctx.elicit('What is your name?', NAME));
      return said(await ctx.sample(user('Make up a name', 50)));
    },
  );
}

function user(text: string, maxTokens: number) {
  return { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens } as const;
}
