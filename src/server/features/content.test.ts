import { audio, image, McpServer, text } from 'mcpp/server';
import { expect, test } from 'vitest';
import { open } from '../../../test/wire.ts';

test('text, image and audio make content from strings and bytes', () => {
  expect(text('hi')).toEqual({ type: 'text', text: 'hi' });
  expect(text('hi', { priority: 1 })).toEqual({ type: 'text', text: 'hi', annotations: { priority: 1 } });
  expect(image(Buffer.from('ab'), 'image/png')).toEqual({ type: 'image', data: 'YWI=', mimeType: 'image/png' });
  expect(image('YWI=', 'image/png')).toEqual({ type: 'image', data: 'YWI=', mimeType: 'image/png' });
  expect(audio(new Uint8Array([97, 98]), 'audio/wav')).toEqual({ type: 'audio', data: 'YWI=', mimeType: 'audio/wav' });
});

test('results and sampling messages accept this content', async () => {
  const answer = { role: 'assistant', content: text('yes'), model: 'm' } as const;
  const server = new McpServer({ name: 's', version: '1' }).registerTool('t', {}, async (_, ctx) => {
    const { content } = await ctx.sample({
      maxTokens: 1,
      messages: [{ role: 'user', content: image('YWI=', 'image/png') }],
    });
    return [text('said'), content as typeof answer.content];
  });
  const wire = await open(server, { revision: '2025-11-25', capabilities: { sampling: {} }, answer: () => answer });
  const { result } = await wire.call('tools/call', { name: 't' });
  expect(result).toMatchObject({ content: [text('said'), text('yes')] });
});

test('invalid values are refused with the reason', () => {
  expect(() => text(1 as never)).toThrow('text needs a string');
  expect(() => image('AA', undefined as never)).toThrow("image needs a MIME type, as in image(data, 'image/png')");
  expect(() => audio({} as never, 'audio/wav')).toThrow('audio needs bytes (Uint8Array) or base64 text');
});
