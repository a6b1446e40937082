import { type CompletionInput, McpServer } from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { open, REVISIONS, type Reply } from '../../../test/wire.ts';

const seen: CompletionInput[] = [];
const argsSchema = z.object({ city: z.string(), other: z.string().optional(), many: z.string().optional() });
const names = Array.from({ length: 150 }, (_, i) => `n${i}`);

const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} })
  .registerPrompt(
    'trip',
    {
      argsSchema,
      complete: {
        city: (value, input) => {
          seen.push(input);
          return ['Rome', 'Riga'].filter((city) => city.startsWith(value));
        },
        many: () => names,
      },
    },
    () => '',
  )
  .registerResource('x://fixed', {}, () => '')
  .registerResource('x://hidden', { visible: () => false }, () => '')
  .registerPrompt('hidden', { argsSchema, visible: () => false, complete: { city: () => [] } }, () => '')
  .registerResourceTemplate(
    'x://{a}/{b}',
    { complete: { a: async () => ({ values: ['1'], total: 10, hasMore: true }), b: () => ({ values: names }) } },
    () => '',
  );

const complete = async (params: object, revision = '2026-07-28'): Promise<Reply> =>
  (await open(server, { revision })).call('completion/complete', params);

const trip = { type: 'ref/prompt', name: 'trip' };
const template = { type: 'ref/resource', uri: 'x://{a}/{b}' };

test.each(REVISIONS)('a completer suggests values of a prompt’s argument: %s', async (revision) => {
  const reply = await complete({ ref: trip, argument: { name: 'city', value: 'R' } }, revision);
  expect(reply.result).toMatchObject({ completion: { values: ['Rome', 'Riga'], total: 2, hasMore: false } });
});

test('a result has at most 100 values, and hasMore if there are more', async () => {
  expect((await complete({ ref: trip, argument: { name: 'many', value: '' } })).result).toMatchObject({
    completion: { values: names.slice(0, 100), total: 150, hasMore: true },
  });
  expect((await complete({ ref: template, argument: { name: 'b', value: '' } })).result).toMatchObject({
    completion: { values: names.slice(0, 100), hasMore: true },
  });
  expect((await complete({ ref: template, argument: { name: 'a', value: '' } })).result).toMatchObject({
    completion: { values: ['1'], total: 10, hasMore: true },
  });
});

test('a completer gets the values of other arguments', async () => {
  seen.length = 0;
  const context = { arguments: { other: 'x' } };
  await complete({ ref: trip, argument: { name: 'city', value: 'Ri' }, context });
  await complete({ ref: trip, argument: { name: 'city', value: 'Ri' }, context: {} });
  expect(seen).toEqual([
    { value: 'Ri', arguments: { other: 'x' } },
    { value: 'Ri', arguments: {} },
  ]);
});

test.each(['other', 'nope', 'constructor', '__proto__'])(
  'an argument without a completer has no suggestions: %s',
  async (name) => {
    expect((await complete({ ref: trip, argument: { name, value: '' } })).result).toMatchObject({
      completion: { values: [] },
    });
  },
);

test('a variable that a template does not have, and a resource that is no template, have no suggestions', async () => {
  for (const ref of [template, { type: 'ref/resource', uri: 'x://fixed' }]) {
    expect((await complete({ ref, argument: { name: 'nope', value: '' } })).result).toMatchObject({
      completion: { values: [] },
    });
  }
});

describe('-32602 for', () => {
  const argument = { name: 'city', value: '' };
  test.each<[string, object]>([
    ['no ref', { argument }],
    ['a ref of no kind', { ref: { type: 'ref/tool', name: 'trip' }, argument }],
    ['a prompt that is not there', { ref: { type: 'ref/prompt', name: 'nope' }, argument }],
    ['a hidden prompt', { ref: { type: 'ref/prompt', name: 'hidden' }, argument }],
    ['a template that is not there', { ref: { type: 'ref/resource', uri: 'y://{a}' }, argument }],
    ['a name that is no string', { ref: { type: 'ref/prompt', name: 5 }, argument }],
    ['no argument', { ref: trip }],
    ['a hidden resource', { ref: { type: 'ref/resource', uri: 'x://hidden' }, argument }],
    ['a value that is no string', { ref: trip, argument: { name: 'city', value: 5 } }],
    ['a context that is none', { ref: trip, argument, context: 5 }],
    ['other arguments that are no strings', { ref: trip, argument, context: { arguments: { a: 5 } } }],
  ])('%s', async (_, params) => {
    expect((await complete(params)).error?.code).toBe(-32602);
  });
});

test('a server without completers does not have completion/complete', async () => {
  const bare = new McpServer({ name: 's', version: '1' }).registerPrompt('p', {}, () => '');
  for (const revision of REVISIONS) {
    const wire = await open(bare, { revision });
    expect(
      (await wire.call('completion/complete', { ref: trip, argument: { name: 'a', value: '' } })).error?.code,
    ).toBe(-32601);
  }
});

test('a completer that returns no strings is an internal error, which names it for onError', async () => {
  const errors: unknown[] = [];
  const wrong = new McpServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
  wrong.registerPrompt('p', { argsSchema, complete: { city: () => [1] as never } }, () => 'x');
  const wire = await open(wrong);
  const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'city', value: '' } };
  expect((await wire.call('completion/complete', params)).error).toMatchObject({ code: -32603 });
  expect(errors).toMatchObject([
    { message: 'The completer of p, city must return an array of strings, or { values }' },
  ]);
});
