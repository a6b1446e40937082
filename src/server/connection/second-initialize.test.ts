/** A second `initialize` on one connection, as bridges send it that share one program among their clients. */

import { McpServer } from 'mcpp/server';
import { expect, test } from 'vitest';
import { open, quiet, type Reply, STATEFUL, type Wire } from '../../../test/wire.ts';

const URI = `x://${'a'.repeat(1000)}`;

function makeServer() {
  const errors: string[] = [];
  const calls: (() => void)[] = [];
  const server = new McpServer(
    { name: 's', version: '1' },
    { capabilities: { logging: {} }, limits: { keptBytes: 24 * 1024 }, onError: () => {} },
  )
    .registerResource(URI, {}, () => '')
    .registerTool('client', {}, (_, ctx) => `${ctx.client?.name} ${ctx.revision} ${Object.keys(ctx.capabilities)}`)
    .registerTool('log', {}, (_, ctx) => {
      ctx.log.info('told');
      return 'logged';
    })
    .registerTool('wait', {}, () => new Promise<string>((resolve) => calls.push(() => resolve('waited'))))
    .registerTool('ask', {}, async (_, ctx) => {
      const ask = (): Promise<unknown> => ctx.elicit('Sure?', { type: 'object', properties: {} });
      const told = (error: Error): void => void errors.push(error.message);
      await ask().catch(told);
      await ask().catch(told);
      return 'asked';
    });
  return { server, errors, release: () => calls.shift()?.() };
}

function initialize(wire: Wire, version: string, id: string | number, more: object = {}): Promise<Reply> {
  const clientInfo = { name: 'second', version: '2' };
  return wire.call('initialize', { protocolVersion: version, capabilities: {}, clientInfo, ...more }, id);
}

const text = ({ result }: Reply): unknown => (result?.['content'] as { text: string }[] | undefined)?.[0]?.text;

test.each(STATEFUL)('a second initialize replaces client info, capabilities and revision: %s', async (version) => {
  const wire = await open(makeServer().server, { revision: '2025-11-25', capabilities: { elicitation: {} } });
  const reply = await initialize(wire, version, 'again', { capabilities: { roots: {} } });
  expect(reply.result).toMatchObject({ protocolVersion: version, serverInfo: { name: 's' } });
  expect(text(await wire.call('tools/call', { name: 'client' }))).toBe(`second ${version} roots`);
});

test('a second initialize replaces the log level', async () => {
  const wire = await open(makeServer().server, { revision: '2025-11-25' });
  await wire.call('logging/setLevel', { level: 'error' });
  await wire.call('tools/call', { name: 'log' });
  expect(wire.notices('notifications/message')).toEqual([]);
  await initialize(wire, '2025-11-25', 'again');
  await wire.call('tools/call', { name: 'log' });
  expect(wire.notices('notifications/message')).toHaveLength(1);
});

test('a second initialize ends subscriptions, releases their memory, and changes are sent once', async () => {
  const { server } = makeServer();
  const wire = await open(server, { revision: '2025-11-25' });
  for (let round = 0; round < 20; round++) {
    expect((await wire.call('resources/subscribe', { uri: `${URI}${round}` })).result).toEqual({});
    await initialize(wire, '2025-11-25', `again ${round}`);
  }
  expect(server['~internals'].usage.kept.used).toBe(0);
  wire.notify('notifications/initialized');
  server.resourceUpdated(`${URI}0`);
  server.registerTool('new', {}, () => '');
  await quiet();
  expect(wire.notices('notifications/resources/updated')).toEqual([]);
  expect(wire.notices('notifications/tools/list_changed')).toHaveLength(1);
});

test('running calls continue and get responses, and their ids cannot be reused meanwhile', async () => {
  const { server, release } = makeServer();
  const wire = await open(server, { revision: '2025-11-25' });
  const waiting = wire.call('tools/call', { name: 'wait' }, 7);
  await quiet();
  await initialize(wire, '2025-11-25', 'again');
  wire.say({ jsonrpc: '2.0', id: 7, method: 'ping' });
  await quiet();
  expect(wire.received.at(-1)).toEqual({
    jsonrpc: '2.0',
    error: { code: -32600, message: 'A request with this id is running already' },
  });
  release();
  expect(text(await waiting)).toBe('waited');
});

test('open input requests fail, and older calls cannot send input requests to the new client', async () => {
  const { server, errors } = makeServer();
  const wire = await open(server, { revision: '2025-11-25', capabilities: { elicitation: {} } });
  const asking = wire.call('tools/call', { name: 'ask' });
  const { id } = await wire.until(({ method }) => method === 'elicitation/create');
  await initialize(wire, '2025-11-25', 'again', { capabilities: { elicitation: {} } });
  expect(text(await asking)).toBe('asked');
  expect(errors).toEqual(['The client sent "initialize" again', 'The client sent "initialize" again']);
  expect(wire.received.filter(({ method }) => method === 'elicitation/create')).toHaveLength(1);
  // A late response of the first client settles nothing of the second.
  const next = wire.call('tools/call', { name: 'ask' }, 'next');
  await wire.until((one) => one.method === 'elicitation/create' && one.id !== id);
  wire.say({ jsonrpc: '2.0', id, result: { action: 'accept', content: {} } });
  await quiet();
  expect(wire.received.some((one) => one.id === 'next')).toBe(false);
  await wire.disconnect();
  void next;
});

test('an invalid second initialize leaves the session unchanged', async () => {
  const wire = await open(makeServer().server, { revision: '2025-11-25' });
  const reply = await initialize(wire, '2025-11-25', 'again', { clientInfo: 5 });
  expect(reply.error?.code).toBe(-32602);
  expect(text(await wire.call('tools/call', { name: 'client' }))).toBe('raw 2025-11-25 ');
});
