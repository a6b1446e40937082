/** What an extension that is installed in a client adds to a connection, seen from the server. */

import { Client, type ClientExtension, type ConnectOptions, connect } from 'mcpp/client';
import { afterEach, describe, expect, test } from 'vitest';
import { closeAll, rawServer, stateful, stateless } from '../http-client/raw-server.ts';
import { PRIOR, play, playStateful, Script } from '../script.ts';
import { quiet, REVISIONS, STATEFUL } from '../wire.ts';

afterEach(closeAll);

const ID = 'com.example/feature';
const INFO = { name: 'c', version: '1' };
const DECLARING = { tools: {}, extensions: { [ID]: {} } };
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** What the client declares in a revision: in `initialize`, or with its first request. */
async function declaredIn(revision: (typeof REVISIONS)[number], options: ConnectOptions): Promise<string> {
  const script = new Script().greets(revision);
  const client = await connect(script, { ...options, info: INFO, revision, profile: PRIOR });
  if (revision === '2026-07-28') void client.request('x/y').catch(() => {});
  const { params } = script.sent[0] ?? {};
  const meta = params?.['_meta'] as Record<string, unknown> | undefined;
  await client.close();
  return JSON.stringify(meta ? meta[CAPABILITIES] : params?.['capabilities']);
}

describe('an extension is declared', () => {
  test.each(REVISIONS)('with its settings in %s', async (revision) => {
    const extension: ClientExtension = { id: ID, client: { settings: { mimeTypes: ['text/html'] } } };
    const extensions = [extension, { id: 'com.example/bare' }];
    expect(await declaredIn(revision, { extensions })).toBe(
      '{"extensions":{"com.example/feature":{"mimeTypes":["text/html"]},"com.example/bare":{}}}',
    );
  });

  test.each(REVISIONS)('only where it is known, and nothing without it, in %s', async (revision) => {
    const extensions = [{ id: ID, revisions: ['2026-07-28'] as const }];
    const expected = revision === '2026-07-28' ? '{"extensions":{"com.example/feature":{}}}' : '{}';
    expect(await declaredIn(revision, { extensions })).toBe(expected);
    expect(await declaredIn(revision, {})).toBe('{}');
    expect(await declaredIn(revision, { extensions: [] })).toBe('{}');
  });

  test('beside what is declared by hand', async () => {
    const capabilities = { sampling: {}, extensions: { 'com.example/own': {} } };
    const declared = await declaredIn('2026-07-28', { capabilities, extensions: [{ id: ID }] });
    expect(JSON.parse(declared)).toEqual({ sampling: {}, extensions: { [ID]: {}, 'com.example/own': {} } });
  });

  test('in the question which revisions a server speaks', async () => {
    const script = new Script();
    const connecting = connect(script, { extensions: [{ id: ID }] });
    await quiet();
    expect(script.sent[0]).toMatchObject({
      method: 'server/discover',
      params: { _meta: { [CAPABILITIES]: { extensions: { [ID]: {} } } } },
    });
    script.reply({ supportedVersions: ['2026-07-28'], capabilities: {} });
    await (await connecting).close();
  });
});

describe('what an extension adds to _meta', () => {
  const KEY = 'com.example/of';
  const extension: ClientExtension = {
    id: ID,
    client: {
      requestMeta: (method, { name }) =>
        method === 'things/none'
          ? undefined
          : { [KEY]: `${method} ${String(name)}`, progressToken: 'mine', [CAPABILITIES]: 'mine', shared: 'extension' },
    },
  };
  const metaOf = (script: Script): unknown => script.sent.at(-1)?.params?.['_meta'];
  const send = (client: { request(method: string, params?: object, options?: object): Promise<unknown> }) => {
    void client.request('tools/call', { name: 't' }).catch(() => {});
  };

  test('reaches a server that declared it, but not the protocol’s own keys', async () => {
    const options = { extensions: [extension], info: INFO, profile: { ...PRIOR, capabilities: DECLARING } };
    const { script, client } = await play(options);
    send(client);
    expect(metaOf(script)).toEqual({
      [KEY]: 'tools/call t',
      shared: 'extension',
      progressToken: 1,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      [CAPABILITIES]: { extensions: { [ID]: {} } },
      'io.modelcontextprotocol/clientInfo': INFO,
    });
    await client.close();
  });

  test('reaches a server with a session likewise', async () => {
    const { script, client } = await playStateful({ extensions: [extension] }, '2025-06-18', DECLARING);
    send(client);
    expect(metaOf(script)).toMatchObject({ [KEY]: 'tools/call t', progressToken: 2 });
    await client.close();
  });

  test('does not replace what the caller put there', async () => {
    const { script, client } = await play({ extensions: [extension], profile: { ...PRIOR, capabilities: DECLARING } });
    void client.request('x/y', { _meta: { shared: 'params' } }).catch(() => {});
    expect(metaOf(script)).toMatchObject({ shared: 'params' });
    void client.request('x/y', { _meta: { shared: 'params' } }, { meta: { shared: 'options' } }).catch(() => {});
    expect(metaOf(script)).toMatchObject({ [KEY]: 'x/y undefined', shared: 'options' });
    void client.request('things/none').catch(() => {});
    expect(metaOf(script)).not.toHaveProperty('shared');
    await client.close();
  });

  test.each<[string, object]>([
    ['declared nothing', { tools: {} }],
    ['declared another', { extensions: { 'com.example/other': {} } }],
    ['declared nonsense', { extensions: [ID] }],
  ])('reaches no server that %s', async (_name, capabilities) => {
    const { script, client } = await play({ extensions: [extension], profile: { ...PRIOR, capabilities } });
    send(client);
    expect(metaOf(script)).not.toHaveProperty(KEY);
    await client.close();
  });

  test('reaches no server in a revision in which we do not declare it', async () => {
    const extensions = [{ ...extension, revisions: ['2026-07-28'] as const }];
    const { script, client } = await playStateful({ extensions }, '2025-11-25', DECLARING);
    send(client);
    expect(metaOf(script)).toEqual({ progressToken: 2 });
    await client.close();
  });
});

test('the functions of an extension are inside of the client’s own, also of those that are added later', async () => {
  const seen: string[] = [];
  const extension: ClientExtension = {
    id: ID,
    client: {
      middleware: ({ direction, method }, next) => {
        seen.push(`extension ${direction} ${method}`);
        return next();
      },
    },
  };
  const client = new Client(INFO, { profile: PRIOR, extensions: [extension], roots: [] });
  const script = new Script();
  const connection = await client.connect(script);
  client.use(({ direction, method }, next) => {
    seen.push(`client ${direction} ${method}`);
    return next();
  });
  const call = connection.callTool('t');
  await quiet();
  script.reply({ resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } });
  await quiet();
  script.say({ jsonrpc: '2.0', method: 'notifications/x' });
  connection.notify('notifications/y');
  script.reply({ content: [] }, 2);
  await call;
  expect(seen).toEqual([
    'client out tools/call',
    'extension out tools/call',
    'client in roots/list',
    'extension in roots/list',
    'client in notifications/x',
    'extension in notifications/x',
    'client out notifications/y',
    'extension out notifications/y',
  ]);
  await connection.close();
});

describe('notifications of an extension', () => {
  const METHOD = 'notifications/feature/news';
  const hearing = (heard: unknown[], revisions?: ClientExtension['revisions']): ClientExtension => ({
    id: ID,
    ...(revisions ? { revisions } : {}),
    client: { notifications: { [METHOD]: (params) => heard.push(params) } },
  });

  test.each(STATEFUL)('are heard from a server that declared it, in %s', async (revision) => {
    const heard: unknown[] = [];
    const all: unknown[] = [];
    const options = { extensions: [hearing(heard)], onNotification: (one: unknown) => all.push(one) };
    const { script, client } = await playStateful(options, revision, DECLARING);
    script.say({ jsonrpc: '2.0', method: METHOD, params: { n: 1 } });
    script.say({ jsonrpc: '2.0', method: METHOD });
    script.say({ jsonrpc: '2.0', method: 'notifications/other', params: { n: 2 } });
    expect(heard).toEqual([{ n: 1 }, {}]);
    expect(all).toHaveLength(3);
    await client.close();
  });

  test('are heard after the functions around what comes in', async () => {
    const heard: unknown[] = [];
    const client = new Client(INFO, { profile: { ...PRIOR, capabilities: DECLARING }, extensions: [hearing(heard)] });
    client.use((call, next) => next({ ...call, params: { changed: true } }));
    const script = new Script();
    const connection = await client.connect(script);
    script.say({ jsonrpc: '2.0', method: METHOD, params: { n: 1 } });
    await quiet();
    expect(heard).toEqual([{ changed: true }]);
    await connection.close();
  });

  test('are only news like any other from a server that did not, or in another revision', async () => {
    const heard: unknown[] = [];
    const options = { extensions: [hearing(heard, ['2026-07-28'])] };
    for (const { script, client } of [await play(options), await playStateful(options, '2025-11-25', DECLARING)]) {
      script.say({ jsonrpc: '2.0', method: METHOD, params: {} });
      await client.close();
    }
    expect(heard).toEqual([]);
  });

  test('end nothing if the extension fails at them', async () => {
    const errors: string[] = [];
    const heard: unknown[] = [];
    const failing = (id: string, hear: () => unknown): ClientExtension => ({
      id,
      client: { notifications: { [METHOD]: () => void hear() } },
    });
    const extensions: ClientExtension[] = [
      failing('com.example/a', () => {
        throw new Error('at once');
      }),
      {
        id: ID,
        client: { notifications: { [METHOD]: (async () => Promise.reject(new Error('later'))) as () => void } },
      },
    ];
    const capabilities = { extensions: { 'com.example/a': {}, [ID]: {} } };
    const { script, client } = await play({
      extensions,
      profile: { ...PRIOR, capabilities },
      onError: ({ message }) => errors.push(message),
      onNotification: (one) => heard.push(one),
    });
    script.say({ jsonrpc: '2.0', method: METHOD, params: {} });
    await quiet();
    expect(errors).toEqual(['at once', 'later']);
    expect(heard).toHaveLength(1);
    await client.close();
  });
});

describe('what a request of an extension is about', () => {
  const extensions = [{ id: ID, mcpNames: { 'things/get': 'thingId' } }];
  const answers = {
    'things/get': (visit: { result(value: object): void }) => visit.result({ resultType: 'complete' }),
  };

  test('stands in Mcp-Name, as the extension says and nobody else', async () => {
    const server = await rawServer({ ...stateless, ...answers });
    const mcp = await connect(server.url, { extensions, headers: { 'MCP-Name': 'client' } });
    await mcp.request('things/get', { thingId: 'a-1' });
    await mcp.request('things/get', { thingId: 'ü\n' }, { headers: { 'mcp-name': 'call', 'Mcp-Name': 'call' } });
    const sent = server.to('things/get').map(({ headers }) => [headers['mcp-method'], headers['mcp-name']]);
    expect(sent).toEqual([
      ['things/get', 'a-1'],
      ['things/get', '=?base64?w7wK?='],
    ]);
    await mcp.close();
  });

  test('stands nowhere but in the body where sessions are', async () => {
    const server = await rawServer({ ...stateful(), ...answers });
    const mcp = await connect(server.url, { extensions });
    await mcp.request('things/get', { thingId: 'a-1' });
    expect(server.to('things/get')[0]?.headers).not.toHaveProperty('mcp-name');
    await mcp.close();
  });
});
