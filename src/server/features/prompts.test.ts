import { McpServer, type McpServerOptions } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { open, REVISIONS, type Reply } from '../../../test/wire.ts';

const make = (options: McpServerOptions = {}): McpServer =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options });

const get = async (
  server: McpServer<unknown>,
  name: unknown,
  args?: unknown,
  revision = '2026-07-28',
): Promise<Reply> =>
  (await open(server, { revision })).call('prompts/get', { name, ...(args === undefined ? {} : { arguments: args }) });

const hello = { role: 'user', content: { type: 'text', text: 'hi' } } as const;

describe('what a handler returns', () => {
  test.each<[string, unknown, object]>([
    ['a string', 'hi', { messages: [hello], description: 'd' }],
    ['a message', hello, { messages: [hello], description: 'd' }],
    ['messages', [hello, hello], { messages: [hello, hello], description: 'd' }],
    ['a whole result', { messages: [hello], description: 'own' }, { messages: [hello], description: 'own' }],
  ])('%s', async (_, value, expected) => {
    const server = make().registerPrompt('p', { description: 'd' }, async () => value as string);
    for (const revision of REVISIONS)
      expect((await get(server, 'p', undefined, revision)).result).toMatchObject(expected);
  });

  test.each([undefined, null, 5, {}])('%j is an error of the handler', async (value) => {
    expect(
      (
        await get(
          make().registerPrompt('p', {}, () => value as never),
          'p',
        )
      ).error?.code,
    ).toBe(-32603);
  });

  test.each<{ value: unknown }>([
    { value: ['junk', 5] },
    { value: { messages: ['junk'] } },
    { value: [{ role: 'user' }] },
    { value: [hello, 5] },
  ])('$value is an error of the handler, reported with the name of the prompt', async ({ value }) => {
    for (const revision of REVISIONS) {
      const onError = vi.fn();
      const server = make({ onError }).registerPrompt('p', {}, () => value as never);
      const { error } = await get(server, 'p', undefined, revision);
      expect(onError).toHaveBeenCalledTimes(1);
      const [, about] = onError.mock.calls[0] as [unknown, { reference: string }];
      expect(about).toMatchObject({ method: 'prompts/get', name: 'p' });
      expect(error).toEqual({ code: -32603, message: `Internal error (reference ${about.reference})` });
    }
  });

  test('data of other sources never becomes an input request', async () => {
    const fetched = { resultType: 'input_required', inputRequests: { x: { method: 'roots/list' } } };
    const reply = await get(
      make().registerPrompt('p', {}, () => fetched as never),
      'p',
    );
    expect(reply.result?.['resultType']).not.toBe('input_required');
  });
});

describe('arguments', () => {
  const argsSchema = z.object({ city: z.string().min(2).describe('Where'), day: z.string().optional() });
  const server = make()
    .registerPrompt('trip', { title: 'Trip', argsSchema }, ({ city, day }) => `${city} ${day ?? 'today'}`)
    .registerPrompt('none', {}, (args) => JSON.stringify(args));

  test('are listed from the schema', async () => {
    const { prompts } = (await (await open(server)).call('prompts/list')).result as { prompts: object[] };
    expect(prompts).toEqual([
      {
        name: 'trip',
        title: 'Trip',
        arguments: [{ name: 'city', description: 'Where', required: true }, { name: 'day' }],
      },
      { name: 'none' },
    ]);
  });

  test('reach the handler', async () => {
    expect((await get(server, 'trip', { city: 'Rome' })).result).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Rome today' } }],
    });
  });

  test.each(REVISIONS)('that do not fit the schema are -32602: %s', async (revision) => {
    for (const args of [undefined, {}, { city: 'x' }, { city: 5 }, { city: null }, [], 'x', null]) {
      expect((await get(server, 'trip', args, revision)).error?.code).toBe(-32602);
    }
  });

  test('are strings: a schema with another type is refused at registration, with its place', () => {
    expect(() => make().registerPrompt('p', { argsSchema: z.object({ n: z.number() }) }, () => '')).toThrow(
      /^Prompt "p": argsSchema\/properties\/n/,
    );
  });
});

test('unknown, hidden and disabled prompts get the same -32602 error', async () => {
  const server = make()
    .registerPrompt('p', {}, () => '')
    .registerPrompt('off', {}, () => '')
    .registerPrompt('hidden', { visible: () => false }, () => '');
  server.prompts.disable('off');
  for (const name of ['nope', '__proto__', 'off', 'hidden']) {
    expect((await get(server, name)).error).toEqual({ code: -32602, message: `Unknown prompt: ${name}` });
  }
  expect((await get(server, 5)).error?.code).toBe(-32602);
});

test('a prompt needs a name that is not registered', () => {
  const server = make().registerPrompt('p', {}, () => '');
  expect(() => server.registerPrompt('p', {}, () => '')).toThrow('Prompt "p" is registered already');
  expect(() => server.registerPrompt('', {}, () => '')).toThrow(TypeError);
  expect(() => server.registerPrompt('q', { complete: { x: () => [] } }, () => '')).toThrow(/"x"/);
});
