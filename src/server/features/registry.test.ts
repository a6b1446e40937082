import { McpServer } from 'mcpp/server';
import { expect, test } from 'vitest';
import { open } from '../../../test/wire.ts';

const server = new McpServer({ name: 's', version: '1' })
  .registerTool('hello', {}, () => 'x')
  .registerTool('secret_hellp', { visible: () => false }, () => 'x')
  .registerPrompt('review', {}, () => 'x');

const message = async (method: string, name: string): Promise<string | undefined> =>
  (await (await open(server)).call(method, { name })).error?.message;

test('the error for an unknown tool or prompt has the most similar name', async () => {
  expect(await message('tools/call', 'helo')).toBe('Unknown tool: helo; did you mean "hello"?');
  expect(await message('tools/call', 'Hello')).toBe('Unknown tool: Hello; did you mean "hello"?');
  expect(await message('prompts/get', 'reveiw')).toBe('Unknown prompt: reveiw; did you mean "review"?');
  expect(await message('tools/call', 'weather')).toBe('Unknown tool: weather');
});

test('a hidden tool is not suggested', async () => {
  expect(await message('tools/call', 'secret_help')).toBe('Unknown tool: secret_help');
});

test('the error for an unknown resource has its URI', async () => {
  server.registerResource('x:a', 'text/plain', () => 'x');
  const { error } = await (await open(server)).call('resources/read', { uri: 'x:\u001bb' });
  expect(error?.message).toBe('Resource not found: x:\\u{1b}b');
});
