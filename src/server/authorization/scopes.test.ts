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

/** Opens a connection of the owner of the process, as over stdio. */
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
  test.each(CALLS)(
    '%s %j of a caller that lacks a scope is refused before the handler runs',
    async (method, params) => {
      const server = make();
      server.use((_ctx, next) => {
        ran.push('middleware');
        return next();
      });
      const wire = await open(server, { revision, principal: known });
      ran = [];
      expect((await wire.call(method, params)).error).toEqual(NEEDED);
      expect(ran).toEqual([]);
    },
  );

  test.each(CALLS)('%s %j of a caller that has all scopes runs', async (method, params) => {
    const wire = await open(make(), { revision, principal: granted });
    expect((await wire.call(method, params)).error).toBeUndefined();
    expect(ran).toHaveLength(1);
  });

  test('a principal without scopes lacks them', async () => {
    const wire = await open(make(), { revision, principal: { subject: 'bob' } });
    expect((await wire.call('tools/call', { name: 'write' })).error).toEqual(NEEDED);
  });

  test('a scope is compared by its whole name', async () => {
    const principal = { subject: 'bob', scopes: ['files:read files:write', 'files:writer', 'files:read'] };
    const wire = await open(make(), { revision, principal });
    expect((await wire.call('tools/call', { name: 'write' })).error).toEqual(NEEDED);
  });

  test('scopes of a principal that are a string are refused by serve', async () => {
    const principal = { subject: 'bob', scopes: 'files:read files:write' as never };
    await expect(open(make(), { revision, principal })).rejects.toThrow(
      new TypeError('The "scopes" of the principal of serve must be an array of strings, such as ["files:read"]'),
    );
  });

  test('entries without scopes need no principal', async () => {
    const wire = await open(make(), { revision });
    expect((await wire.call('tools/call', { name: 'free' })).result).toMatchObject({ content: [{ text: 'free' }] });
    expect((await wire.call('resources/read', { uri: 'x://files/open' })).error).toBeUndefined();
  });

  test('lists do not show scopes', async () => {
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

test('hasScopes finds no scopes in a string', () => {
  expect(hasScopes({ subject: 'bob', scopes: 'files:read' as never }, ['files:read'])).toBe(false);
  expect(hasScopes({ subject: 'bob', scopes: 'files:read' as never }, [])).toBe(true);
});

test.each(STATEFUL)('resources/subscribe requires the scopes of the resource: %s', async (revision) => {
  const wire = await open(make(), { revision, principal: known });
  expect((await wire.call('resources/subscribe', { uri: 'x://secret' })).error).toEqual(NEEDED);
  expect((await wire.call('resources/subscribe', { uri: 'x://files/open' })).result).toEqual({});
});

test('subscriptions/listen requires the scopes of its resources', async () => {
  const wire = await open(make(), { principal: known });
  const notifications = { resourceSubscriptions: ['x://files/open', 'x://secret', 'x://files/a'] };
  expect((await wire.call('subscriptions/listen', { notifications })).error).toEqual(NEEDED);
});

test('a subscription to a folder does not include resources whose scopes the caller lacks', async () => {
  const server = make();
  const subscribed = async (principal: typeof known): Promise<Wire> => {
    const wire = await open(server, { revision: '2025-11-25', principal });
    await wire.call('resources/subscribe', { uri: 'x://files' });
    return wire;
  };
  const [without, having] = [await subscribed(known), await subscribed(granted)];
  server.resourceUpdated('x://files/a');
  server.resourceUpdated('x://files/open');
  await having.until(({ params }) => params?.['uri'] === 'x://files/open');
  await without.until(({ params }) => params?.['uri'] === 'x://files/open');
  const urisTold = (wire: Wire): unknown[] =>
    wire.notices('notifications/resources/updated').map(({ params }) => params?.['uri']);
  expect(urisTold(without)).toEqual(['x://files/open']);
  expect(urisTold(having)).toEqual(['x://files/a', 'x://files/open']);
});

test('scopes of a list with too many URIs are not looked up', async () => {
  const server = make();
  const seen: unknown[] = [];
  server.registerResource('x://watched', { scopes, visible: () => seen.push(1) > 0 }, () => '');
  const wire = await open(server, { principal: known });
  const notifications = { resourceSubscriptions: Array.from({ length: 10_001 }, () => 'x://watched') };
  expect((await wire.call('subscriptions/listen', { notifications })).error).toMatchObject({ code: -32602 });
  expect(seen).toEqual([]);
});

test('completion of an unknown ref requires no scopes', async () => {
  const wire = await open(make(), { principal: known });
  const ref = { type: 'ref/other', uri: 'x://files/{name}' };
  const { error } = await wire.call('completion/complete', { ref, argument: { name: 'name', value: '' } });
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('"ref" must be') });
});

test('hidden entries require no scopes, so that the error does not reveal them', async () => {
  const server = make().registerTool('hidden', { scopes, visible: () => false }, () => '');
  const wire = await open(server, { principal: known });
  expect((await wire.call('tools/call', { name: 'hidden' })).error).toEqual({
    code: -32602,
    message: 'Unknown tool: hidden',
  });
  server.tools.disable('write');
  expect((await wire.call('tools/call', { name: 'write' })).error?.message).toBe('Unknown tool: write');
});

test('scopes are checked before arguments', async () => {
  const without = await open(make(), { principal: known });
  expect((await without.call('tools/call', { name: 'write', arguments: { n: 'x' } })).error).toEqual(NEEDED);
  expect((await without.call('tools/call', { name: 'write', arguments: 7 })).error).toEqual(NEEDED);
});

test('a malformed _meta is refused before scopes are checked', async () => {
  const wire = await open(make(), { principal: known });
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  wire.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write', _meta } });
  expect((await wire.answerTo(1)).error).toMatchObject({ code: -32602 });
  expect(ran).toEqual([]);
});

test('a resource with scopes has the cacheScope private', async () => {
  const server = make({ cache: { ttlMs: 60_000, cacheScope: 'public' } });
  const wire = await open(server, { principal: granted });
  expect((await wire.call('resources/read', { uri: 'x://secret' })).result).toMatchObject({ cacheScope: 'private' });
  expect((await wire.call('resources/read', { uri: 'x://files/open' })).result).toMatchObject({ cacheScope: 'public' });
});

describe('a caller without a principal', () => {
  const call = { name: 'write', arguments: { n: 1 } };

  test.each(REVISIONS)('is refused with an error that names the option: %s', async (revision) => {
    const wire = await open(make(), { revision });
    expect((await wire.call('tools/call', call)).error).toEqual({
      code: -32600,
      message:
        'This request requires the scopes files:read, files:write, but callers are not authenticated: ' +
        'set the option "auth" where the server is served',
      data: { requiredScopes: scopes },
    });
  });

  test.each(REVISIONS)('needs no scopes if it owns the process: %s', async (revision) => {
    const wire = await openOwned({ revision });
    expect((await wire.call('tools/call', call)).result).toMatchObject({ content: [{ text: 'write' }] });
  });

  test('needs scopes if it owns the process but has a principal', async () => {
    const wire = await openOwned({ principal: known });
    expect((await wire.call('tools/call', call)).error).toEqual(NEEDED);
  });
});

describe('changes of a resource that got scopes after the subscription', () => {
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
  const updatesOf = async (wire: Wire): Promise<unknown[]> => {
    await wire.until(({ params }) => params?.['uri'] === 'x://files/open');
    return wire.notices('notifications/resources/updated').map(({ params }) => params?.['uri']);
  };

  test.each(REVISIONS)('are not sent to callers without a principal: %s', async (revision) => {
    const server = make();
    const wire = await open(server, { revision });
    await subscribe(wire, revision);
    late(server);
    expect(await updatesOf(wire)).toEqual(['x://files/open']);
  });

  test.each(REVISIONS)('are sent to the owner of the process: %s', async (revision) => {
    const server = make();
    const wire = await openOwned({ revision }, server);
    await subscribe(wire, revision);
    late(server);
    expect(await updatesOf(wire)).toEqual(uris);
  });
});

describe('a batch of 2025-03-26', () => {
  test('gets an error for the request that lacks a scope, and results for the others', async () => {
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

  test.each(wrong)('%j is refused with the name of the entry', (given, message) => {
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

  test('changing the array afterwards has no effect', async () => {
    const list = ['files:read'];
    const server = new McpServer({ name: 's', version: '1' }).registerTool('t', { scopes: list }, () => '');
    list.pop();
    const wire = await open(server, { principal: { subject: 'bob' } });
    expect((await wire.call('tools/call', { name: 't' })).error?.data).toEqual({ requiredScopes: ['files:read'] });
  });

  test('a tool that replaces one with scopes has only its own scopes', async () => {
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
