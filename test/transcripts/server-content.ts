/** Prompts and resources, some of which ask first. */

import type { McpServer } from 'mcpp/server';

const PIXEL = 'iVBORw0KGgo=';
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const TONES = ['formal', 'friendly', 'funny'];

/** Registers them. */
export function addPromptsAndResources(server: McpServer): void {
  addPrompts(server);
  addResources(server);
}

function addPrompts(server: McpServer): void {
  const argsSchema = {
    type: 'object',
    properties: { topic: { type: 'string' }, tone: { type: 'string' } },
    required: ['topic'],
  } as const;
  server.registerPrompt(
    'brief',
    {
      description: 'A short text',
      argsSchema,
      complete: {
        topic: () => Array.from({ length: 150 }, (_, n) => `topic ${n}`),
        tone: (value, { arguments: { topic = '' } }) =>
          TONES.filter((tone) => tone.startsWith(value)).map((tone) => (topic ? `${tone} on ${topic}` : tone)),
      },
    },
    ({ topic, tone = 'plain' }) => `Write about ${topic} in a ${tone} tone.`,
  );
  server.registerPrompt('illustrated', {}, () => [
    { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
    { role: 'user', content: { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' } },
    { role: 'assistant', content: { type: 'resource_link', uri: 'test://text', name: 'text' } },
    {
      role: 'user',
      content: { type: 'resource', resource: { uri: 'test://text', mimeType: 'text/plain', text: 'Hello' } },
    },
  ]);
  server.registerPrompt('interview', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('Who are you?', NAME);
    return answer.action === 'accept' ? `I am ${answer.content.name}.` : 'I am nobody.';
  });
}

function addResources(server: McpServer): void {
  server.registerResource('test://text', { name: 'text', mimeType: 'text/plain' }, () => 'Hello');
  server.registerResource('test://blob', { name: 'blob', mimeType: 'image/png' }, () =>
    Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  );
  server.registerResource('test://gone', { name: 'gone' }, () => undefined);
  server.registerResource('test://guarded', { name: 'guarded', mimeType: 'text/plain' }, async (_uri, ctx) => {
    const answer = await ctx.elicit('Who are you?', NAME);
    return answer.action === 'accept' ? `For ${answer.content.name}` : undefined;
  });
  server.registerResourceTemplate(
    'test://item/{id}',
    {
      name: 'item',
      mimeType: 'text/plain',
      complete: { id: (value) => ['1', '10', '2'].filter((id) => id.startsWith(value)) },
    },
    ({ id }) => (id === '404' ? undefined : `Item ${id}`),
  );
}
