import { McpServer, RpcError, type ServerExtension } from 'mcpp/server';
import { describe, expect, test } from 'vitest';
import { open, quiet, REVISIONS, STATEFUL } from '../../../test/wire.ts';

const ID = 'com.example/echo';
const declares = { extensions: { [ID]: {} } };
const make = (...extensions: ServerExtension[]) =>
  new McpServer({ name: 's', version: '1' }, { extensions, onError: () => {} });

const echo: ServerExtension = { id: ID, server: { methods: { 'echo/say': ({ text }) => ({ text }) } } };

async function greeted(server: McpServer, protocolVersion: string): Promise<unknown> {
  const wire = await open(server, { revision: 'none' });
  const params = { protocolVersion, capabilities: declares, clientInfo: { name: 'c', version: '1' } };
  return (await wire.call('initialize', params)).result?.['capabilities'];
}

describe('a method of an extension', () => {
  test.each(REVISIONS)('is handled for a client that declares it: %s', async (revision) => {
    const wire = await open(make(echo), { revision, capabilities: declares });
    expect((await wire.call('echo/say', { text: 'x' })).result).toMatchObject({ text: 'x' });
  });

  test('is refused for a request that does not declare it, whatever other requests declared', async () => {
    const wire = await open(make(echo), { capabilities: declares });
    await wire.call('echo/say', { text: 'x' });
    const meta = { 'io.modelcontextprotocol/clientCapabilities': {} };
    expect((await wire.call('echo/say', { text: 'x', _meta: meta })).error).toEqual({
      code: -32021,
      message: 'The client did not declare the capability "extensions.com.example/echo", which this request requires',
      data: { requiredCapabilities: { extensions: { 'com.example/echo': {} } } },
    });
  });

  test('is handled for every request with availableTo: all', async () => {
    const wire = await open(make({ ...echo, server: { ...echo.server, availableTo: 'all' } }));
    expect((await wire.call('echo/say', { text: 'x' })).result).toMatchObject({ text: 'x' });
  });

  test('does not exist without the extension', async () => {
    const wire = await open(make(), { capabilities: declares });
    expect((await wire.call('echo/say')).error).toMatchObject({ code: -32601 });
  });

  test.each(STATEFUL)('does not exist in revisions without the extension: %s', async (revision) => {
    const server = make({ ...echo, revisions: ['2026-07-28'] });
    const wire = await open(server, { revision, capabilities: declares });
    expect((await wire.call('echo/say')).error).toMatchObject({ code: -32601 });
    expect(await greeted(server, revision)).not.toHaveProperty('extensions');
  });
});

describe('a notification of an extension', () => {
  test('is handled only for clients that declare the extension', async () => {
    const received: unknown[] = [];
    const server = make({
      id: ID,
      server: { methods: { 'notifications/echo': (params) => received.push(params['n']) } },
    });
    const meta = (capabilities: object) => ({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    });
    const wire = await open(server);
    wire.notify('notifications/echo', { n: 1, _meta: meta(declares) });
    wire.notify('notifications/echo', { n: 2, _meta: meta({}) });
    await wire.call('server/discover');
    expect(received).toEqual([1]);
  });
});

describe('an extension that is built into a revision', () => {
  const before: ServerExtension = {
    id: ID,
    revisions: ['2026-07-28'],
    server: {
      settings: { now: true },
      methods: { 'echo/say': () => ({ as: 'extension' }) },
      builtInRevisions: {
        '2025-11-25': { capabilities: () => ({ echo: {} }), methods: { 'echo/say': () => ({ as: 'protocol' }) } },
      },
    },
  };

  test('has a capability in that revision and needs no declaration', async () => {
    expect(await greeted(make(before), '2025-11-25')).toEqual({ logging: {}, echo: {} });
    const wire = await open(make(before), { revision: '2025-11-25' });
    expect((await wire.call('echo/say')).result).toEqual({ as: 'protocol' });
  });

  test('is an extension in the other revisions', async () => {
    const wire = await open(make(before), { capabilities: declares });
    expect((await wire.call('server/discover')).result?.['capabilities']).toEqual({
      logging: {},
      extensions: { [ID]: { now: true } },
    });
    expect((await wire.call('echo/say')).result).toMatchObject({ as: 'extension', resultType: 'complete' });
  });
});

test('settings in the option capabilities override those of the extension', async () => {
  const capabilities = { extensions: { [ID]: { by: 'hand' }, 'com.example/mine': {} } };
  const extensions = [{ id: ID, server: { settings: { by: 'itself' } } }];
  const server = new McpServer({ name: 's', version: '1' }, { capabilities, extensions });
  const { result } = await (await open(server)).call('server/discover');
  expect(result?.['capabilities']).toMatchObject(capabilities);
  expect(await greeted(server, '2025-06-18')).toMatchObject(capabilities);
});

describe('a field of subscriptions/listen', () => {
  const begun: string[] = [];
  const counted: ServerExtension = {
    id: ID,
    server: {
      subscriptions: {
        async numbers(wanted) {
          if (!Array.isArray(wanted)) throw RpcError.invalidParams('"notifications.numbers" must be an array');
          const accepted = wanted.filter((one) => one > 0);
          if (accepted.length === 0) return undefined;
          return {
            accepted,
            begin(tell) {
              begun.push('begun');
              for (const number of accepted) tell('notifications/number', { number, _meta: { own: true } });
              return () => begun.push('ended');
            },
          };
        },
      },
    },
  };
  const isNumber = ({ method }: { readonly method?: string }): boolean => method === 'notifications/number';

  test('is acknowledged as accepted, then sends notifications with the subscription id until it ends', async () => {
    begun.length = 0;
    const wire = await open(make(counted), { capabilities: declares });
    void wire.call('subscriptions/listen', { notifications: { numbers: [1, -1] } }, 'sub');
    expect(await wire.until(isNumber)).toMatchObject({
      params: { number: 1, _meta: { own: true, 'io.modelcontextprotocol/subscriptionId': 'sub' } },
    });
    expect(wire.received.map(({ method, params }) => [method, params?.['notifications']])).toEqual([
      ['notifications/subscriptions/acknowledged', { numbers: [1] }],
      ['notifications/number', undefined],
    ]);
    wire.notify('notifications/cancelled', { requestId: 'sub' });
    expect(begun).toEqual(['begun', 'ended']);
  });

  test('is refused if it is malformed or the extension is not declared', async () => {
    const wire = await open(make(counted), { capabilities: declares });
    const listen = (numbers: unknown, more = {}) =>
      wire.call('subscriptions/listen', { notifications: { numbers }, ...more });
    expect((await listen(5)).error).toMatchObject({ code: -32602 });
    const undeclared = { _meta: { 'io.modelcontextprotocol/clientCapabilities': {} } };
    expect((await listen([1], undeclared)).error).toMatchObject({ code: -32021 });
  });

  test('that is never opened delays neither cancellation nor closing', async () => {
    const never: ServerExtension = {
      id: ID,
      server: { subscriptions: { numbers: () => new Promise(() => {}) } },
    };
    const limited = new McpServer({ name: 's', version: '1' }, { extensions: [never], limits: { inFlight: 1 } });
    const wire = await open(limited, { capabilities: declares });
    void wire.call('subscriptions/listen', { notifications: { numbers: [1] } }, 1);
    wire.notify('notifications/cancelled', { requestId: 1 });
    await quiet();
    const listening = wire.call('subscriptions/listen', { notifications: { numbers: [1] } }, 2);
    await wire.serving?.close();
    expect((await listening).result).toMatchObject({ _meta: { 'io.modelcontextprotocol/subscriptionId': 2 } });
  });

  test('that throws when it stops is reported, and everything else stops', async () => {
    const ended: string[] = [];
    const field = (end: () => void) => () => ({ accepted: true, begin: () => end });
    const failing: ServerExtension = {
      id: ID,
      server: {
        subscriptions: {
          bad: field(() => {
            throw new Error('at the end');
          }),
          good: field(() => void ended.push('good')),
        },
      },
    };
    const errors: unknown[] = [];
    const options = { extensions: [failing], onError: (error: unknown) => errors.push(error) };
    const wire = await open(new McpServer({ name: 's', version: '1' }, options), { capabilities: declares });
    void wire.call('subscriptions/listen', { notifications: { bad: true, good: true } }, 1);
    await quiet();
    wire.notify('notifications/cancelled', { requestId: 1 });
    expect(ended).toEqual(['good']);
    expect(errors).toMatchObject([{ message: 'at the end' }]);
  });

  test('of which nothing is accepted ends the request at once', async () => {
    const wire = await open(make(counted), { capabilities: declares });
    const { result } = await wire.call('subscriptions/listen', { notifications: { numbers: [-1] } });
    expect(result).toMatchObject({ resultType: 'complete' });
    expect(wire.received[0]?.params?.['notifications']).toEqual({});
  });
});

describe('the additions of an extension to results and tools', () => {
  const marking: ServerExtension = {
    id: ID,
    server: {
      resultMeta: (_, ctx) => ({ 'com.example/method': ctx.method }),
      describeTool: (tool, { task }) => ({ ...tool, _meta: { ...tool._meta, 'com.example/task': task ?? 'none' } }),
    },
  };
  const server = make(marking).registerTool('t', { task: 'auto' }, () => ({
    content: [],
    _meta: { 'com.example/method': 'mine' },
  }));

  test('are in the _meta of every result, and members of the handler win', async () => {
    const wire = await open(server, { capabilities: declares });
    expect((await wire.call('tools/list')).result?.['_meta']).toMatchObject({ 'com.example/method': 'tools/list' });
    expect((await wire.call('tools/call', { name: 't' })).result?.['_meta']).toMatchObject({
      'com.example/method': 'mine',
    });
  });

  test('are absent for clients that do not declare it', async () => {
    const wire = await open(server);
    expect((await wire.call('tools/list')).result?.['_meta']).not.toHaveProperty(['com.example/method']);
  });

  test('are in the list of tools', async () => {
    const wire = await open(server);
    expect((await wire.call('tools/list')).result).toMatchObject({
      tools: [{ _meta: { 'com.example/task': 'auto' } }],
    });
  });
});

describe('the constructor of McpServer refuses an extension', () => {
  const with_ =
    (...extensions: unknown[]) =>
    () =>
      make(...(extensions as ServerExtension[]));

  test.each<[string, () => unknown, string]>([
    ['without a prefix', with_({ id: 'echo' }), '"id" must have a prefix and a name'],
    ['twice', with_(echo, echo), 'the id com.example/echo is already used by'],
    [
      'with a method of the protocol',
      with_({ id: ID, server: { methods: { 'tools/list': () => ({}) } } }),
      'tools/list belongs to the protocol',
    ],
    [
      'with a method of another',
      with_(echo, { ...echo, id: 'com.example/b' }),
      'another extension has the method echo/say',
    ],
    [
      'with a resultType of the protocol',
      with_({ id: ID, resultTypes: { complete: [] } }),
      '"complete" belongs to the protocol',
    ],
    [
      'with a resultType of another',
      with_({ id: ID, resultTypes: { a: [] } }, { id: 'b.c/d', resultTypes: { a: [] } }),
      'already used by',
    ],
    [
      'with an Mcp-Name of another',
      with_({ id: ID, mcpNames: { 'a/b': 'x' } }, { id: 'b.c/d', mcpNames: { 'a/b': 'y' } }),
      'the Mcp-Name of a/b is already used by',
    ],
    [
      'with a field of the protocol',
      with_({ id: ID, server: { subscriptions: { toolsListChanged: {} } } }),
      '"toolsListChanged"',
    ],
  ])('%s', (_, build, words) => {
    expect(build).toThrow(TypeError);
    expect(build).toThrow(words);
  });

  test.each<[unknown]>([[{ a: {} }], [[undefined]], [['com.example/a']]])(
    'as something other than a list of them: %j',
    (extensions) => {
      const build = () => new McpServer({ name: 's', version: '1' }, { extensions: extensions as never });
      expect(build).toThrow('"extensions" must be an array of extensions');
    },
  );
});
