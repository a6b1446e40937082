/** Prompts: with arguments, with content of every kind, and one that asks before it answers. */

import type { McpServer } from 'mcpp/server';
import { image, text } from './samples.ts';

/** Registers them. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'test_simple_prompt',
    { description: 'Has no arguments' },
    () => 'This is a simple prompt for testing.',
  );

  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Repeats its two arguments',
      argsSchema: {
        type: 'object',
        properties: {
          arg1: { type: 'string', description: 'First test argument' },
          arg2: { type: 'string', description: 'Second test argument' },
        },
        required: ['arg1', 'arg2'],
      },
      complete: {
        arg1: (typed) => ['paris', 'park', 'party'].filter((word) => word.startsWith(typed)),
      },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  );

  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'Brings a resource along',
      argsSchema: {
        type: 'object',
        properties: { resourceUri: { type: 'string', description: 'URI of the resource to embed' } },
        required: ['resourceUri'],
      },
    },
    ({ resourceUri }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
      },
      { role: 'user', content: text('Please process the embedded resource above.') },
    ],
  );

  server.registerPrompt('test_prompt_with_image', { description: 'Brings an image along' }, () => [
    { role: 'user', content: image },
    { role: 'user', content: text('Please analyze the image above.') },
  ]);

  const context = { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] } as const;
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks what it is to be about' },
    async (_args, ctx) => {
      const answer = await ctx.elicit('What context should the prompt use?', context, { key: 'user_context' });
      return `Use this context: ${answer.action === 'accept' ? answer.content.context : 'none'}`;
    },
  );
}
