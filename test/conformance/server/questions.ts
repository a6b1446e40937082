/** Tools that ask the client. The same handlers serve clients that are asked live and clients that call again. */

import type { CreateMessageResult } from 'mcpp';
import type { ElicitAnswer, McpServer } from 'mcpp/server';

/** Registers them. */
export function addQuestions(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    {
      description: "Asks the client's model",
      inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    },
    async ({ prompt }, ctx) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }] as const;
      return `LLM response: ${said(await ctx.sample({ messages, maxTokens: 100 }))}`;
    },
  );

  const user = {
    type: 'object',
    properties: {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    },
    required: ['username', 'email'],
  } as const;
  server.registerTool(
    'test_elicitation',
    {
      description: 'Asks the person in front of the client',
      inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    },
    async ({ message }, ctx) => `User response: ${told(await ctx.elicit(message, user))}`,
  );

  addForms(server);

  server.registerTool(
    'test_missing_capability',
    { description: 'Works only for clients that let it ask their model' },
    async (_args, ctx) => {
      const messages = [{ role: 'user', content: { type: 'text', text: 'Are you there?' } }] as const;
      return said(await ctx.sample({ messages, maxTokens: 10 }));
    },
  );

  const confirmation = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } as const;
  server.registerTool(
    'test_streaming_elicitation',
    { description: 'Reports progress, then asks' },
    async (_args, ctx) => {
      ctx.reportProgress(1, 2, 'About to ask');
      return told(await ctx.elicit('Shall it go on?', confirmation));
    },
  );
}

function addForms(server: McpServer): void {
  const defaults = {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'User name', default: 'John Doe' },
      age: { type: 'integer', description: 'User age', default: 30 },
      score: { type: 'number', description: 'User score', default: 95.5 },
      status: {
        type: 'string',
        description: 'User status',
        enum: ['active', 'inactive', 'pending'],
        default: 'active',
      },
      verified: { type: 'boolean', description: 'Verification status', default: true },
    },
  } as const;
  server.registerTool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks by a form that is filled in already' },
    async (_args, ctx) =>
      `Elicitation completed: ${told(await ctx.elicit('Please review and update the form fields with defaults', defaults))}`,
  );

  const titled = [
    { const: 'value1', title: 'First Option' },
    { const: 'value2', title: 'Second Option' },
    { const: 'value3', title: 'Third Option' },
  ] as const;
  const plain = ['option1', 'option2', 'option3'] as const;
  const choices = {
    type: 'object',
    properties: {
      untitledSingle: { type: 'string', description: 'Select one option', enum: plain },
      titledSingle: { type: 'string', description: 'Select one option with a title', oneOf: titled },
      legacyEnum: {
        type: 'string',
        description: 'Select one option, in the old way',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', description: 'Select any options', items: { type: 'string', enum: plain } },
      titledMulti: { type: 'array', description: 'Select any options with titles', items: { anyOf: titled } },
    },
  } as const;
  server.registerTool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks by a form with every kind of choice' },
    async (_args, ctx) => `Elicitation completed: ${told(await ctx.elicit('Please select options', choices))}`,
  );
}

/** What the model said, if it was text. */
export function said({ content }: CreateMessageResult): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join(' ');
}

/** What the person did, in words. */
export function told(answer: ElicitAnswer<unknown>): string {
  const content = answer.action === 'accept' ? `, content=${JSON.stringify(answer.content)}` : '';
  return `action=${answer.action}${content}`;
}
