import type { Implementation } from 'mcpp';
import { McpServer, type McpServerOptions } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { claim, open, quiet, REVISIONS, STATEFUL } from '../../test/wire.ts';

const make = (options: McpServerOptions = {}): McpServer =>
  new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options });

const hello = (protocolVersion: unknown): object => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
});

describe('a server sends its info', () => {
  const info = { name: 's', version: '1', title: 'S', description: 'D', websiteUrl: 'https://x', icons: [] };

  test.each([...STATEFUL])('in the result of initialize: %s', async (version) => {
    const server = new McpServer(info, { instructions: 'Be kind' }).registerTool('t', {}, () => '');
    const wire = await open(server, { revision: 'none' });
    const { result } = await wire.call('initialize', hello(version));
    const serverInfo =
      version === '2025-11-25' ? info : version === '2025-06-18' ? { name: 's', version: '1', title: 'S' } : undefined;
    expect(result).toEqual({
      protocolVersion: version,
      capabilities: { logging: {}, tools: { listChanged: true } },
      serverInfo: serverInfo ?? { name: 's', version: '1' },
      instructions: 'Be kind',
    });
  });

  test('in the result of server/discover, and in the _meta of every result', async () => {
    const server = new McpServer(info, { instructions: 'Be kind' }).registerTool('t', {}, () => '');
    const wire = await open(server);
    expect((await wire.call('server/discover')).result).toEqual({
      supportedVersions: [...REVISIONS].reverse(),
      capabilities: { logging: {}, tools: { listChanged: true } },
      instructions: 'Be kind',
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': info },
    });
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 't' }],
      ['subscriptions/listen', { notifications: {} }],
    ] as const) {
      // Without pictures: this goes out with every single result.
      const { icons: _i, description: _d, websiteUrl: _w, ...brief } = info as Implementation;
      expect((await wire.call(method, params)).result?.['_meta']).toMatchObject({
        'io.modelcontextprotocol/serverInfo': brief,
      });
    }
  });

  test.each<unknown>([undefined, {}, { name: 's' }, { name: 5, version: '1' }, null])(
    'and needs a name and a version: %j',
    (bad) => {
      expect(() => new McpServer(bad as never)).toThrow(TypeError);
    },
  );
});

describe('capabilities', () => {
  const methods = ['tools/list', 'prompts/list', 'resources/list', 'completion/complete'];

  test.each(REVISIONS)('follow from what is registered; other methods get -32601: %s', async (revision) => {
    const wire = await open(make(), { revision });
    for (const method of methods) expect((await wire.call(method)).error?.code).toBe(-32601);
    if (revision !== '2026-07-28') {
      expect((await wire.call('resources/subscribe', { uri: 'x:' })).error?.code).toBe(-32601);
    }
  });

  test('that are set to false are not declared, and their methods get -32601', async () => {
    const server = make({ capabilities: { tools: false, logging: false } }).registerTool('t', {}, () => '');
    for (const revision of REVISIONS) {
      const wire = await open(server, { revision });
      expect((await wire.call('tools/list')).error?.code).toBe(-32601);
      expect((await wire.call('tools/call', { name: 't' })).error?.code).toBe(-32601);
      expect((await wire.call('logging/setLevel', { level: 'info' })).error?.code).toBe(-32601);
    }
    const wire = await open(server);
    expect((await wire.call('server/discover')).result?.['capabilities']).toEqual({});
  });

  test('can be declared without a registration', async () => {
    const server = make({ capabilities: { tools: {}, experimental: { a: {} } } });
    server.setHandler('tools/list', () => ({ tools: [{ name: 'own', inputSchema: { type: 'object' } }] }));
    for (const revision of REVISIONS) {
      const wire = await open(server, { revision });
      expect((await wire.call('tools/list')).result).toMatchObject({ tools: [{ name: 'own' }] });
    }
    const wire = await open(server);
    expect((await wire.call('server/discover')).result?.['capabilities']).toMatchObject({
      tools: {},
      experimental: { a: {} },
    });
  });

  test.each(REVISIONS)('of a feature without entries give an empty list: %s', async (revision) => {
    const wire = await open(make({ capabilities: { tools: { listChanged: true } } }), { revision });
    expect((await wire.call('tools/list')).result).toMatchObject({ tools: [] });
  });

  test('include features that are registered later', async () => {
    const server = make();
    const wire = await open(server);
    expect((await wire.call('tools/list')).error?.code).toBe(-32601);
    server.registerTool('t', {}, () => '');
    expect((await wire.call('tools/list')).result).toBeDefined();
    expect((await wire.call('server/discover')).result?.['capabilities']).toHaveProperty('tools');
  });

  test('have no completions under 2024-11-05, which does not define them', async () => {
    const server = make().registerResourceTemplate('x:{a}', { complete: { a: () => [] } }, () => '');
    const declared = async (version: string): Promise<unknown> => {
      const wire = await open(server, { revision: 'none' });
      return (await wire.call('initialize', hello(version))).result?.['capabilities'];
    };
    expect(await declared('2025-03-26')).toHaveProperty('completions');
    expect(await declared('2024-11-05')).not.toHaveProperty('completions');
  });
});

describe('limits', () => {
  test.each([0, -1, 0.5, Number.NaN, '5', null])('must be at least 1, not %j', (limit) => {
    for (const name of ['pageSize', 'inFlight', 'roundTrips', 'handlerMs', 'stateTtlMs']) {
      const limits = { [name]: limit } as never;
      expect(() => make({ limits })).toThrow(new TypeError(`limits.${name} must be at least 1`));
    }
  });

  test('that are undefined keep their defaults', async () => {
    const undefinedLimits = { inFlight: undefined, pageSize: undefined } as never;
    const server = make({ limits: undefinedLimits }).registerTool('t', {}, () => 'x');
    const wire = await open(server);
    expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'x' }] });
    expect((await wire.call('tools/list')).result).toMatchObject({ tools: [{ name: 't' }] });
  });
});

describe('extensions', () => {
  test('are declared on every revision', async () => {
    const extensions = { 'com.example/a': { b: 1 } };
    const server = make({ extensions: [{ id: 'com.example/a', server: { settings: { b: 1 } } }] });
    expect((await (await open(server)).call('server/discover')).result?.['capabilities']).toMatchObject({ extensions });
    const wire = await open(server, { revision: 'none' });
    expect((await wire.call('initialize', hello('2025-06-18'))).result?.['capabilities']).toMatchObject({ extensions });
  });

  test.each(['a', '', '/a', 'com.example/a b', '__proto__'])('need an id with a prefix, not %j', (id) => {
    expect(() => make({ extensions: [{ id }] })).toThrow(/Extension ".*"/);
  });
});

describe('revisions', () => {
  test('that are all stateless make initialize fail with the supported versions', async () => {
    const server = make({ revisions: ['2026-07-28'] }).registerTool('t', {}, () => 'x');
    const wire = await open(server, { revision: 'none' });
    expect((await wire.call('initialize', hello('2025-11-25'))).error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2025-11-25' },
    });
    const stateless = await open(server);
    expect((await stateless.call('tools/call', { name: 't' })).result).toBeDefined();
    expect((await stateless.call('server/discover')).result).toMatchObject({ supportedVersions: ['2026-07-28'] });
  });

  test('that are all stateful make a request with another version fail with the supported versions', async () => {
    const server = make({ revisions: ['2024-11-05', '2025-06-18'] });
    const wire = await open(server, { revision: 'none' });
    expect((await wire.call('server/discover', { _meta: claim() })).error).toMatchObject({
      code: -32022,
      data: { supported: ['2025-06-18', '2024-11-05'], requested: '2026-07-28' },
    });
    expect((await wire.call('initialize', hello('2025-11-25'))).result).toMatchObject({
      protocolVersion: '2025-06-18',
    });
  });

  test('must be known, and at least one', () => {
    expect(() => make({ revisions: ['2020-01-01' as never] })).toThrow(/2020-01-01/);
    expect(() => make({ revisions: [] })).toThrow(TypeError);
  });

  test('can be mixed on one connection without sharing state', async () => {
    const server = make().registerTool('t', {}, (_, ctx) => `${ctx.revision} ${ctx.client?.name} ${ctx.can('roots')}`);
    const wire = await open(server, { revision: '2025-11-25', capabilities: { roots: {} } });
    const text = async (params: object): Promise<unknown> =>
      (await wire.call('tools/call', { name: 't', ...params })).result?.['content'];
    expect(await text({})).toMatchObject([{ text: '2025-11-25 raw true' }]);
    const other = { 'io.modelcontextprotocol/clientInfo': { name: 'other', version: '1' } };
    expect(await text({ _meta: claim({}, other) })).toMatchObject([{ text: '2026-07-28 other false' }]);
    expect(await text({})).toMatchObject([{ text: '2025-11-25 raw true' }]);
  });
});

describe('a custom handler', () => {
  test('handles a request', async () => {
    const server = make().setHandler('com.example/echo', (params, ctx) => ({ params, revision: ctx.revision }));
    for (const revision of REVISIONS) {
      const wire = await open(server, { revision });
      const { result } = await wire.call('com.example/echo', { a: [1] });
      expect(result).toMatchObject({ params: { a: [1] }, revision });
    }
  });

  test('that returns undefined gives an empty result', async () => {
    const wire = await open(
      make().setHandler('com.example/a', () => undefined),
      { revision: '2025-11-25' },
    );
    expect((await wire.call('com.example/a')).result).toEqual({});
  });

  test('handles a notification, in a session or with a version, without a response', async () => {
    const seen: unknown[] = [];
    const server = make().setHandler('notifications/own', (params) => {
      seen.push(params['a']);
      return { never: 'sent' };
    });
    const session = await open(server, { revision: '2025-11-25' });
    session.notify('notifications/own', { a: 1 });
    const stateless = await open(server);
    stateless.notify('notifications/own', { a: 2, _meta: claim() });
    stateless.notify('notifications/own', { a: 3 });
    expect((await stateless.call('notifications/own', { a: 4 })).error?.code).toBe(-32601);
    session.say({ jsonrpc: '2.0', method: 'com.example/echo', params: {} });
    await quiet();
    expect(seen).toEqual([1, 2]);
    expect(session.received).toEqual([]);
  });

  test('replaces the registered feature, in any order of registration', async () => {
    const own = (): object => ({ content: [{ type: 'text', text: 'own' }] });
    const before = make()
      .setHandler('tools/call', own)
      .registerTool('t', {}, () => 'registered');
    const after = make().registerTool('t', {}, () => 'registered');
    after.setHandler('tools/call', own);
    for (const server of [before, after]) {
      const wire = await open(server);
      expect((await wire.call('tools/call', { name: 't' })).result).toMatchObject({ content: [{ text: 'own' }] });
      expect((await wire.call('tools/list')).result).toMatchObject({ tools: [{ name: 't' }] });
    }
  });

  test('does not run for a method that the revision does not have', async () => {
    const handler = vi.fn(() => ({}));
    const server = make().setHandler('ping', handler).setHandler('server/discover', handler);
    expect((await (await open(server)).call('ping')).error?.code).toBe(-32601);
    expect((await (await open(server, { revision: '2025-11-25' })).call('server/discover')).error?.code).toBe(-32601);
    expect(handler).not.toHaveBeenCalled();
  });
});

test('connectInProcess refuses an unknown option', async () => {
  await expect(make().connectInProcess({ ownProcess: true } as never)).rejects.toThrow(
    new TypeError('connectInProcess: unknown option "ownProcess"; did you mean "ownsProcess"?'),
  );
});
