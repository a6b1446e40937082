import { McpServer, type McpServerOptions, serve } from 'mcpp/server';
import { beforeEach, describe, expect, test } from 'vitest';
import { claim, open, REVISIONS, STATEFUL, Wire, type WireOptions } from '../../../test/wire.ts';
import { MetaKey } from '../../protocol/model/meta.ts';
import { hasScopes } from './scopes.ts';

const known = { subject: 'alice', scopes: ['files:read'] };
const granted = { subject: 'alice', scopes: ['other', 'files:write', 'files:read'] };
const NEEDED = {
  code: -32600,
  message: 'This request requires the scopes files:read, files:write',
  data: { requiredScopes: ['files:read', 'files:write'] },
};
const scopes = ['files:read', 'files:write'];

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

function make(options: McpServerOptions = {}): McpServer {
  const did = (what: string) => (): string => {
    ran.push(what);
    return what;
  };
  const argsSchema = { type: 'object', properties: { a: { type: 'string' } } } as const;
  const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...options });
  server
    .registerTool('free', {}, did('free'))
    .registerTool('write', { scopes, inputSchema }, did('write'))
    .registerPrompt('plan', { scopes, argsSchema, complete: { a: () => [did('complete')()] } }, did('plan'))
    .registerResource('x://secret', { scopes }, did('secret'))
    .registerResourceTemplate(
      'x://files/{name}',
      { scopes, complete: { name: () => [did('complete')()] } },
      did('file'),
    )
    .registerResource('x://files/open', {}, did('open'));
  return server;
}

/** As a program is connected to whoever started it. */
async function openOwned(options: WireOptions, server = make()): Promise<Wire> {
  const wire = new Wire(options);
  wire.serving = await serve(server, wire, { principal: options.principal, ownsProcess: true });
  await wire.greet();
  return wire;
}

const CALLS: readonly (readonly [method: string, params: object])[] = [
  ['tools/call', { name: 'write', arguments: { n: 1 } }],
  ['prompts/get', { name: 'plan' }],
  ['resources/read', { uri: 'x://secret' }],
  ['resources/read', { uri: 'x://files/a' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'a', value: '' } }],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'x://files/{name}' }, argument: { name: 'name', value: '' } },
  ],
];

describe.each(REVISIONS)('%s', (revision) => {
  test.each(CALLS)('%s %j of a caller who lacks a scope is refused, and nothing runs', async (method, params) => {
    const server = make();
    server.use((_ctx, next) => {
      ran.push('middleware');
      return next();
    });
    const wire = await open(server, { revision, principal: known });
    ran = [];
    expect((await wire.call(method, params)).error).toEqual(NEEDED);
    expect(ran).toEqual([]);
  });

  test.each(CALLS)('%s %j of a caller who has all of them runs', async (method, params) => {
    const wire = await open(make(), { revision, principal: granted });
    expect((await wire.call(method, params)).error).toBeUndefined();
    expect(ran).toHaveLength(1);
  });

  test('who is known and has no scopes at all lacks them', async () => {
    const wire = await open(make(), { revision, principal: { subject: 'bob' } });
    expect((await wire.call('tools/call', { name: 'write' })).error).toEqual(NEEDED);
  });

  test('a scope is had by its whole name, not by a part of it', async () => {
    const principal = { subject: 'bob', scopes: ['files:read files:write', 'files:writer', 'files:read'] };
    const wire = await open(make(), { revision, principal });
    expect((await wire.call('tools/call', { name: 'write' })).error).toEqual(NEEDED);
  });

  test('scopes that are a text are refused where they come in, not searched', async () => {
    const principal = { subject: 'bob', scopes: 'files:read files:write' as never };
    await expect(open(make(), { revision, principal })).rejects.toThrow(
      new TypeError('The "scopes" of the principal of serve must be an array of strings, such as ["files:read"]'),
    );
  });

  test('what needs no scopes needs no principal either', async () => {
    const wire = await open(make(), { revision });
    expect((await wire.call('tools/call', { name: 'free' })).result).toMatchObject({ content: [{ text: 'free' }] });
    expect((await wire.call('resources/read', { uri: 'x://files/open' })).error).toBeUndefined();
  });

  test('scopes are not shown', async () => {
    const wire = await open(make(), { revision, principal: known });
    for (const list of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      await wire.call(list);
    }
    const shown = wire.lines.join('\n');
    expect(shown).toContain('"write"');
    expect(shown).not.toContain('scopes');
    expect(shown).not.toContain('files:write');
  });
});

test('a text has no scopes in it, wherever it came from', () => {
  expect(hasScopes({ subject: 'bob', scopes: 'files:read' as never }, ['files:read'])).toBe(false);
  expect(hasScopes({ subject: 'bob', scopes: 'files:read' as never }, [])).toBe(true);
});

test.each(STATEFUL)('who may not read a resource may not subscribe to it either: %s', async (revision) => {
  const wire = await open(make(), { revision, principal: known });
  expect((await wire.call('resources/subscribe', { uri: 'x://secret' })).error).toEqual(NEEDED);
  expect((await wire.call('resources/subscribe', { uri: 'x://files/open' })).result).toEqual({});
});

test('nor listen to it', async () => {
  const wire = await open(make(), { principal: known });
  const notifications = { resourceSubscriptions: ['x://files/open', 'x://secret', 'x://files/a'] };
  expect((await wire.call('subscriptions/listen', { notifications })).error).toEqual(NEEDED);
});

test('nor is it told of the resource because it subscribed to what is above it', async () => {
  const server = make();
  const told = async (principal: typeof known): Promise<Wire> => {
    const wire = await open(server, { revision: '2025-11-25', principal });
    await wire.call('resources/subscribe', { uri: 'x://files' });
    return wire;
  };
  const [without, having] = [await told(known), await told(granted)];
  server.resourceUpdated('x://files/a');
  server.resourceUpdated('x://files/open');
  await having.until(({ params }) => params?.['uri'] === 'x://files/open');
  await without.until(({ params }) => params?.['uri'] === 'x://files/open');
  const urisTold = (wire: Wire): unknown[] =>
    wire.notices('notifications/resources/updated').map(({ params }) => params?.['uri']);
  expect(urisTold(without)).toEqual(['x://files/open']);
  expect(urisTold(having)).toEqual(['x://files/a', 'x://files/open']);
});

test('and a list of too many is not looked at', async () => {
  const server = make();
  const seen: unknown[] = [];
  server.registerResource('x://watched', { scopes, visible: () => seen.push(1) > 0 }, () => '');
  const wire = await open(server, { principal: known });
  const notifications = { resourceSubscriptions: Array.from({ length: 10_001 }, () => 'x://watched') };
  expect((await wire.call('subscriptions/listen', { notifications })).error).toMatchObject({ code: -32602 });
  expect(seen).toEqual([]);
});

test('what is neither a prompt nor a template has no scopes', async () => {
  const wire = await open(make(), { principal: known });
  const ref = { type: 'ref/other', uri: 'x://files/{name}' };
  const { error } = await wire.call('completion/complete', { ref, argument: { name: 'name', value: '' } });
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('"ref" must be') });
});

test('what is hidden stays unknown: no scopes are asked for it', async () => {
  const server = make().registerTool('hidden', { scopes, visible: () => false }, () => '');
  const wire = await open(server, { principal: known });
  expect((await wire.call('tools/call', { name: 'hidden' })).error).toEqual({
    code: -32602,
    message: 'Unknown tool: hidden',
  });
  server.tools.disable('write');
  expect((await wire.call('tools/call', { name: 'write' })).error?.message).toBe('Unknown tool: write');
});

test('arguments are looked at after scopes', async () => {
  const without = await open(make(), { principal: known });
  expect((await without.call('tools/call', { name: 'write', arguments: { n: 'x' } })).error).toEqual(NEEDED);
  expect((await without.call('tools/call', { name: 'write', arguments: 7 })).error).toEqual(NEEDED);
});

test('a request that does not say who it is as it must is told that first', async () => {
  const wire = await open(make(), { principal: known });
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  wire.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write', _meta } });
  expect((await wire.answerTo(1)).error).toMatchObject({ code: -32602 });
  expect(ran).toEqual([]);
});

test('what is read with scopes is not for caches that others share', async () => {
  const server = make({ cache: { ttlMs: 60_000, cacheScope: 'public' } });
  const wire = await open(server, { principal: granted });
  expect((await wire.call('resources/read', { uri: 'x://secret' })).result).toMatchObject({ cacheScope: 'private' });
  expect((await wire.call('resources/read', { uri: 'x://files/open' })).result).toMatchObject({ cacheScope: 'public' });
});

describe('nobody in particular', () => {
  const call = { name: 'write', arguments: { n: 1 } };

  test.each(REVISIONS)('is refused, and the developer is told what to do: %s', async (revision) => {
    const wire = await open(make(), { revision });
    expect((await wire.call('tools/call', call)).error).toEqual({
      code: -32600,
      message:
        'This request requires the scopes files:read, files:write, but callers are not authenticated: ' +
        'set the option "auth" where the server is served',
      data: { requiredScopes: scopes },
    });
  });

  test.each(REVISIONS)('may do everything if it owns the process: %s', async (revision) => {
    const wire = await openOwned({ revision });
    expect((await wire.call('tools/call', call)).result).toMatchObject({ content: [{ text: 'write' }] });
  });

  test('owning the process helps nobody who is known', async () => {
    const wire = await openOwned({ principal: known });
    expect((await wire.call('tools/call', call)).error).toEqual(NEEDED);
  });
});

describe('changes of what got scopes after somebody subscribed to it', () => {
  const late = (server: McpServer): void => {
    server.registerResource('x://late', { scopes }, () => '');
    server.resourceUpdated('x://late');
    server.resourceUpdated('x://files/open');
  };
  const uris = ['x://late', 'x://files/open'];
  const subscribe = async (wire: Wire, revision: string): Promise<void> => {
    const listen = { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: uris } } };
    if (revision === '2026-07-28') {
      wire.say({ jsonrpc: '2.0', id: 'l', ...listen, params: { ...listen.params, _meta: claim() } });
      await wire.until(({ method }) => method === 'notifications/subscriptions/acknowledged');
    } else {
      for (const uri of uris) await wire.call('resources/subscribe', { uri });
    }
  };
  const toldOf = async (wire: Wire): Promise<unknown[]> => {
    await wire.until(({ params }) => params?.['uri'] === 'x://files/open');
    return wire.notices('notifications/resources/updated').map(({ params }) => params?.['uri']);
  };

  test.each(REVISIONS)('reach nobody who is not known: %s', async (revision) => {
    const server = make();
    const wire = await open(server, { revision });
    await subscribe(wire, revision);
    late(server);
    expect(await toldOf(wire)).toEqual(['x://files/open']);
  });

  test.each(REVISIONS)('reach whoever owns the process: %s', async (revision) => {
    const server = make();
    const wire = await openOwned({ revision }, server);
    await subscribe(wire, revision);
    late(server);
    expect(await toldOf(wire)).toEqual(uris);
  });
});

describe('a batch of 2025-03-26', () => {
  test('gets an error for the member that lacks a scope, and results for the others', async () => {
    const wire = await open(make(), { revision: '2025-03-26', principal: known });
    const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
    wire.say([call(7, 'free'), call(8, 'write')]);
    expect((await wire.answerTo(7)).result).toMatchObject({ content: [{ text: 'free' }] });
    expect((await wire.answerTo(8)).error).toEqual(NEEDED);
  });
});

describe('at registration', () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [[], 'scopes must be an array with at least one scope; leave it out to require none'],
    ['files:write', 'scopes must be an array with at least one scope; leave it out to require none'],
    [['a', 'b c'], 'scopes[1] is not a scope: one or more visible ASCII characters without space, " and \\'],
    [['a"'], 'scopes[0] is not a scope'],
    [['a\\b'], 'scopes[0] is not a scope'],
    [['ä'], 'scopes[0] is not a scope'],
    [['a\n'], 'scopes[0] is not a scope'],
    [[''], 'scopes[0] is not a scope'],
    [[7], 'scopes[0] is not a scope'],
    [['a', 'b', 'a'], 'scopes names the same scope twice'],
    [['a', 'offline_access'], 'scopes must not have "offline_access": no request requires it'],
  ];

  test.each(wrong)('%j is refused, with the name of whose it is', (given, message) => {
    const server = new McpServer({ name: 's', version: '1' });
    const config = { scopes: given as string[] };
    expect(() => server.registerTool('t', config, () => '')).toThrow(new TypeError(`Tool "t": ${full(message)}`));
    expect(() => server.registerPrompt('p', config, () => '')).toThrow(`Prompt "p": ${message}`);
    expect(() => server.registerResource('x://r', config, () => '')).toThrow(`Resource "x://r": ${message}`);
    expect(() => server.registerResourceTemplate('x://{r}', config, () => '')).toThrow(
      `Resource template "x://{r}": ${message}`,
    );
    expect(server.tools.names).toEqual([]);
  });

  const full = (message: string): string =>
    message === 'scopes[0] is not a scope'
      ? `${message}: one or more visible ASCII characters without space, " and \\`
      : message;

  test('a list that is changed afterwards changes nothing', async () => {
    const list = ['files:read'];
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', { scopes: list }, () => '');
    list.pop();
    const wire = await open(server, { principal: { subject: 'bob' } });
    expect((await wire.call('tools/call', { name: 't' })).error?.data).toEqual({ requiredScopes: ['files:read'] });
  });

  test('a tool that takes the place of one with scopes has its own, or none', async () => {
    const server = make();
    server.registerTool('write', { replace: true }, () => 'mine');
    const wire = await open(server, { principal: known });
    expect((await wire.call('tools/call', { name: 'write' })).result).toMatchObject({ content: [{ text: 'mine' }] });
  });
});

test('scopes are checked after the revision: an unsupported version is refused first', async () => {
  const wire = await open(make(), { revision: '2026-07-28', principal: known });
  const params = { name: 'write', arguments: { n: 1 }, _meta: { [MetaKey.protocolVersion]: '1900-01-01' } };
  expect((await wire.call('tools/call', params)).error?.code).toBe(-32022);
  expect(ran).toEqual([]);
});
