import { type ChangeBus, McpServer, type ServerEvent } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { CountingBus, open, quiet, STATEFUL, unhandledDuring } from '../../../test/wire.ts';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const make = (): McpServer => {
  const server = new McpServer({ name: 's', version: '1' })
    .registerTool('t', {}, () => '')
    .registerResource('x:/a', {}, () => '');
  server.registerPrompt('p', {}, () => '');
  return server;
};

describe('a session', () => {
  test.each([...STATEFUL])('gets one notification for all changes of one tick: %s', async (revision) => {
    const server = make();
    const wire = await open(server, { revision });
    server.registerTool('a', {}, () => '');
    server.tools.disable('t');
    server.tools.enable('t');
    server.tools.remove('a');
    server.prompts.disable('p');
    server.resources.remove('x:/a');
    await quiet();
    expect(wire.received).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
    ]);
  });

  test('gets no notification before it is initialized, and none without a change', async () => {
    const server = make();
    const wire = await open(server, { revision: 'none' });
    const clientInfo = { name: 'raw', version: '1' };
    await wire.call('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, 1);
    server.tools.disable('t');
    await quiet();
    wire.notify('notifications/initialized');
    server.tools.disable('t');
    server.tools.remove('nope');
    await quiet();
    expect(wire.received).toHaveLength(1);
  });

  test('gets updates of subscribed resources and of their sub-resources until it unsubscribes', async () => {
    const server = make();
    const wire = await open(server, { revision: '2025-11-25' });
    server.resourceUpdated('x:/a');
    await quiet();
    expect((await wire.call('resources/subscribe', { uri: 'x:/a' })).result).toEqual({});
    for (const uri of ['x:/a', 'x:/a/b', 'x:/ab', 'x:/', 'x:/a', 'x:/a/b']) server.resourceUpdated(uri);
    await quiet();
    const told = (): unknown[] => wire.notices('notifications/resources/updated').map((one) => one.params?.['uri']);
    expect(told()).toEqual(['x:/a', 'x:/a/b']);
    expect((await wire.call('resources/unsubscribe', { uri: 'x:/a' })).result).toEqual({});
    server.resourceUpdated('x:/a');
    await quiet();
    expect(told()).toHaveLength(2);
    for (const uri of [undefined, 5, {}]) {
      expect((await wire.call('resources/subscribe', { uri })).error?.code).toBe(-32602);
    }
  });

  test('gets no notifications of capabilities that are declared after its handshake; a later session does', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    const before = await open(server, { revision: '2025-11-25' });
    server.registerTool('t', {}, () => '');
    const after = await open(server, { revision: '2025-11-25' });
    await quiet();
    server.tools.disable('t');
    await quiet();
    expect(before.received).toEqual([]);
    expect(after.received).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
  });

  test('gets no notifications of lists declared without listChanged', async () => {
    const server = new McpServer({ name: 's', version: '1' }, { capabilities: { tools: {} } });
    const wire = await open(server, { revision: '2025-11-25' });
    server.registerTool('t', {}, () => '');
    await quiet();
    server.registerPrompt('p', {}, () => '');
    server.tools.disable('t');
    await quiet();
    expect(wire.received).toEqual([]);
  });

  test('that ended gets no notifications', async () => {
    const server = make();
    const wire = await open(server, { revision: '2025-11-25' });
    await wire.disconnect();
    server.tools.disable('t');
    await quiet();
    expect(wire.received).toEqual([]);
  });
});

describe('subscriptions/listen', () => {
  test('is acknowledged first, then gets the requested notifications with its id', async () => {
    const server = make();
    const wire = await open(server);
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['x:/a'], promptsListChanged: false };
    void wire.call('subscriptions/listen', { notifications }, 0);
    server.tools.disable('t');
    server.prompts.disable('p');
    server.resourceUpdated('x:/a/b');
    await quiet();
    const _meta = { [SUBSCRIPTION]: 0 };
    expect(wire.received).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['x:/a'] }, _meta },
      },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'x:/a/b', _meta } },
    ]);
  });

  test('and a session on one server both get notifications in their form', async () => {
    const server = make();
    const session = await open(server, { revision: '2025-06-18' });
    const wire = await open(server);
    void wire.call('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'a');
    void wire.call('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'b');
    server.tools.disable('t');
    await quiet();
    expect(session.received).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
    expect(wire.notices('notifications/tools/list_changed').map((one) => one.params?.['_meta'])).toEqual([
      { [SUBSCRIPTION]: 'a' },
      { [SUBSCRIPTION]: 'b' },
    ]);
  });

  test('without a supported subscription ends at once', async () => {
    const wire = await open(new McpServer({ name: 's', version: '1' }));
    const reply = await wire.call('subscriptions/listen', { notifications: { toolsListChanged: true } }, 5);
    expect(reply.result).toMatchObject({ resultType: 'complete', _meta: { [SUBSCRIPTION]: 5 } });
    expect(wire.received[0]).toMatchObject({ params: { notifications: {} } });
  });

  test('gets nothing after its cancellation, not even a response', async () => {
    const server = make();
    const wire = await open(server);
    void wire.call('subscriptions/listen', { notifications: { toolsListChanged: true } }, 5);
    await quiet();
    wire.notify('notifications/cancelled', { requestId: 5 });
    server.tools.disable('t');
    await quiet();
    expect(wire.received.map((one) => one.method)).toEqual(['notifications/subscriptions/acknowledged']);
  });

  test('gets its response and notifications/cancelled when the server closes', async () => {
    const wire = await open(make());
    const listening = wire.call('subscriptions/listen', { notifications: { toolsListChanged: true } }, 5);
    await quiet();
    await wire.serving?.close();
    expect((await listening).result).toMatchObject({ resultType: 'complete', _meta: { [SUBSCRIPTION]: 5 } });
    expect(wire.received.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 5 },
    });
  });
});

test('a bus that fails later is reported, and leaves no rejection unhandled', async () => {
  const onError = vi.fn();
  const down = new Error('the bus is down');
  const changes = { publish: () => Promise.reject(down), subscribe: () => () => {} };
  const unhandled = await unhandledDuring(async () => {
    new McpServer({ name: 's', version: '1' }, { changes, onError }).registerTool('t', {}, () => '');
  });
  expect(unhandled).toEqual([]);
  expect(onError).toHaveBeenCalledWith(down, { method: 'changes' });
});

test('clients share one subscription to the bus, which ends with the last client', async () => {
  const changes = new CountingBus();
  const server = new McpServer({ name: 's', version: '1' }, { changes }).registerTool('t', {}, () => '');
  for (let i = 0; i < 500; i++) {
    const session = await open(server, { revision: '2025-11-25' });
    const wire = await open(server);
    void wire.call('subscriptions/listen', { notifications: { toolsListChanged: true } }, 1);
    void wire.call('subscriptions/listen', { notifications: { toolsListChanged: true } }, 2);
    expect(changes.watchers).toBe(1);
    wire.notify('notifications/cancelled', { requestId: 1 });
    await session.disconnect();
    expect(changes.watchers).toBe(1);
    await wire.disconnect();
    expect(changes.watchers).toBe(0);
  }
});

/** A bus that can say that changes may have been missed. */
function forgetfulBus() {
  let resync = (): void => {};
  const changes: ChangeBus<ServerEvent> = {
    publish() {},
    subscribe(listener) {
      resync = () => listener({ type: 'resync' });
      return () => {};
    },
  };
  return { changes, resync: () => resync() };
}

describe('after a resync of the bus', () => {
  const ALL = ['tools/list_changed', 'prompts/list_changed', 'resources/list_changed', 'resources/updated'];
  const makeForgetful = () => {
    const { changes, resync } = forgetfulBus();
    const server = new McpServer({ name: 's', version: '1' }, { changes })
      .registerTool('t', {}, () => '')
      .registerResource('x:/a', {}, () => '')
      .registerResource('x:/hidden', { visible: () => false }, () => '');
    server.registerPrompt('p', {}, () => '');
    return { server, resync };
  };
  const methodsIn = (received: readonly { readonly method?: string }[]): string[] =>
    received.flatMap(({ method }) => (method === undefined ? [] : method.replace('notifications/', '')));

  test('a session is notified of all lists, and of the resources it subscribed to', async () => {
    const { server, resync } = makeForgetful();
    const wire = await open(server, { revision: '2025-11-25' });
    await wire.call('resources/subscribe', { uri: 'x:/a' });
    resync();
    await quiet();
    expect(methodsIn(wire.received).filter((method) => ALL.includes(method))).toEqual(ALL);
  });

  test('subscriptions/listen gets what it requested, but nothing that it may not see', async () => {
    const { server, resync } = makeForgetful();
    const wire = await open(server);
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['x:/a', 'x:/hidden'] };
    void wire.call('subscriptions/listen', { notifications });
    await quiet();
    resync();
    await quiet();
    const told = methodsIn(wire.received).filter((method) => ALL.includes(method));
    expect(told).toEqual(['tools/list_changed', 'resources/updated']);
    expect(wire.notices('notifications/resources/updated')).toMatchObject([{ params: { uri: 'x:/a' } }]);
  });
});
