import { McpServer } from 'mcpp/server';
import { expect, test } from 'vitest';
import { open, STATEFUL } from '../../test/wire.ts';

const make = (): McpServer =>
  new McpServer({ name: 's', version: '1' }).registerTool('id', {}, (_, ctx) => ctx.session?.id ?? 'none') as never;

const idOf = async (wire: Awaited<ReturnType<typeof open>>): Promise<string | undefined> => {
  const { content } = (await wire.call('tools/call', { name: 'id' })).result as { content: { text: string }[] };
  return content[0]?.text;
};

test.each(STATEFUL)('a session has one id for all of its calls, and another session another: %s', async (revision) => {
  const server = make();
  const [one, other] = [await open(server, { revision }), await open(server, { revision })];
  const id = await idOf(one);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(await idOf(one)).toBe(id);
  expect(await idOf(other)).not.toBe(id);
});

test('a stateless revision has no session', async () => {
  expect(await idOf(await open(make()))).toBe('none');
});
