/** Hostile messages over memory: what the envelope, the life of a connection, tools and cancelling make of them. */

import { McpServer } from 'mcpp/server';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { claim, open, quiet, REVISIONS, STATEFUL, unhandledDuring, type Wire } from '../wire.ts';

const ran = vi.fn();
const release: (() => void)[] = [];

const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} })
  .registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => {
    ran();
    return text;
  })
  .registerTool(
    'add',
    {
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
    },
    ({ a, b }) => {
      ran();
      return String(a + b);
    },
  )
  .registerTool('wait', {}, () => new Promise<string>((resolve) => release.push(() => resolve('waited'))));

const META = JSON.stringify(claim());
const list = (id: string, revision: string): string =>
  revision === '2026-07-28'
    ? `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{"_meta":${META}}}`
    : `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`;

/** Says something, and gives everything that came back for it. The connection must live on. */
async function said(wire: Wire, text: string): Promise<Wire['received']> {
  wire.received.length = 0;
  wire.say(text);
  await quiet();
  const replies = [...wire.received];
  expect((await wire.call('tools/list', {}, 'alive?')).result).toBeDefined();
  wire.received.length = 0;
  return replies;
}

const noId = (revision: string): object =>
  revision >= '2025-11-25'
    ? { jsonrpc: '2.0', error: expect.anything() }
    : { jsonrpc: '2.0', id: null, error: expect.anything() };

describe.each(REVISIONS)('the envelope, %s', (revision) => {
  test.each(['null', 'true', '{"a":1}', '[1]', '1.5', '9007199254740993'])(
    'id %s: -32600 without an id',
    async (id) => {
      const wire = await open(server, { revision });
      const replies = await said(wire, list(id, revision));
      expect(replies).toEqual([noId(revision)]);
      expect(replies[0]?.error?.code).toBe(-32600);
    },
  );

  test.each(['0', '""', '"__proto__"', '"constructor"', '"toString"', '"55"', '-1', '9007199254740991'])(
    'id %s is answered as it is',
    async (id) => {
      const wire = await open(server, { revision });
      const replies = await said(wire, list(id, revision));
      expect(replies).toHaveLength(1);
      expect(replies[0]?.id).toBe(JSON.parse(id));
      expect(replies[0]?.result).toBeDefined();
    },
  );

  test.each(['"jsonrpc":"1.0",', '', '"jsonrpc":2.0,'])('version %j: -32600 with the id', async (version) => {
    const wire = await open(server, { revision });
    const replies = await said(wire, `{${version}"id":7,"method":"tools/list","params":{"_meta":${META}}}`);
    expect(replies).toMatchObject([{ id: 7, error: { code: -32600 } }]);
  });

  test.each([
    ['[1,2]', -32602],
    ['"x"', -32600],
    ['null', -32600],
    ['5', -32600],
    ['true', -32600],
  ])('params %s: %s with the id', async (params, code) => {
    const wire = await open(server, { revision });
    const replies = await said(wire, `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":${params}}`);
    expect(replies).toMatchObject([{ id: 7, error: { code } }]);
  });

  test.each(['[1,2]', '"x"', 'null', '5', '{"n":1e999}', `${'['.repeat(3000)}${']'.repeat(3000)}`])(
    'a notification with such params is not answered',
    async (params) => {
      const wire = await open(server, { revision });
      expect(await said(wire, `{"jsonrpc":"2.0","method":"notifications/progress","params":${params}}`)).toEqual([]);
    },
  );

  test.each(['no/such', '__proto__', 'constructor', 'toString', ''])('method %j: -32601', async (method) => {
    const wire = await open(server, { revision });
    expect((await wire.call(method)).error?.code).toBe(-32601);
  });

  test('no reply to notifications, whatever they are called', async () => {
    ran.mockClear();
    const wire = await open(server, { revision });
    const params = { name: 'echo', arguments: { text: 'x' }, _meta: claim() };
    for (const method of ['notifications/no/such', 'tools/call', 'initialize', '__proto__', '']) {
      for (const body of [{ params }, {}, { params: [] }, { params: { _meta: 5 } }]) {
        expect(await said(wire, JSON.stringify({ jsonrpc: '2.0', method, ...body }))).toEqual([]);
      }
    }
    expect(ran).not.toHaveBeenCalled();
  });

  test('answers to nothing are ignored, malformed ones too', async () => {
    const wire = await open(server, { revision });
    for (const rest of [
      '"result":{}',
      '"error":{"code":1,"message":"x"}',
      '"result":5',
      '"error":5',
      '"result":{},"error":{}',
    ]) {
      expect(await said(wire, `{"jsonrpc":"2.0","id":424242,${rest}}`)).toEqual([]);
      expect(await said(wire, `{"jsonrpc":"2.0","id":null,${rest}}`)).toEqual([]);
    }
  });

  test('what is a call and an answer at once is -32600', async () => {
    const wire = await open(server, { revision });
    const replies = await said(
      wire,
      `{"jsonrpc":"2.0","id":7,"method":"tools/list","result":{},"params":{"_meta":${META}}}`,
    );
    expect(replies).toMatchObject([{ id: 7, error: { code: -32600 } }]);
  });

  test('names in the wrong case are not names', async () => {
    const wire = await open(server, { revision });
    const replies = await said(wire, '{"JSONRPC":"2.0","jsonrpc":"2.0","ID":7,"Method":"tools/list"}');
    expect(replies).toMatchObject([{ error: { code: -32600 } }]);
    expect(replies[0]?.result).toBeUndefined();
  });

  test('an empty batch is one -32600', async () => {
    const wire = await open(server, { revision });
    expect(await said(wire, '[]')).toMatchObject([{ error: { code: -32600 } }]);
  });

  test('a batch is taken where the revision has batches, else it is one -32600 and nothing is run', async () => {
    ran.mockClear();
    const wire = await open(server, { revision });
    const call = (id: number): string =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`;
    const notice = '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}';
    const replies = await said(wire, `[${call(1)},${notice},${call(2)},5,{"jsonrpc":"2.0","id":9,"result":{}}]`);
    if (revision <= '2025-03-26') {
      expect(replies.map((one) => one.id)).toEqual([1, 2, null]);
      expect(ran).toHaveBeenCalledTimes(2);
    } else {
      expect(replies).toEqual([noId(revision)]);
      expect(ran).not.toHaveBeenCalled();
    }
  });

  test('of duplicate keys the last one wins', async () => {
    const wire = await open(server, { revision });
    const meta = revision === '2026-07-28' ? `"_meta":${META},` : '';
    const args = '"arguments":{"text":"first","text":"last"}';
    const replies = await said(
      wire,
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{${meta}"name":"nope","name":"echo",${args}}}`,
    );
    expect(replies).toMatchObject([{ id: 7, result: { content: [{ text: 'last' }] } }]);
  });

  test('a line that cannot be parsed is -32700, and nothing of it comes back', async () => {
    const wire = await open(server, { revision });
    for (const text of ['hunter2', '{"hunter2', '', ' ', '\u0000', '{"jsonrpc":"2.0","id":1,"method":"x",}']) {
      const replies = await said(wire, text);
      expect(replies).toEqual([noId(revision)]);
      expect(replies[0]?.error?.code).toBe(-32700);
      expect(JSON.stringify(replies)).not.toContain('hunter2');
    }
  });
});

describe('the life of a connection', () => {
  const hello = (protocolVersion: unknown): object => ({
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  });
  const fresh = (): Promise<Wire> => open(server, { revision: 'none' });

  test.each(['1900-01-01', '2026-07-28', '', '__proto__'])(
    'initialize %j is offered the newest there is',
    async (v) => {
      expect((await (await fresh()).call('initialize', hello(v))).result).toMatchObject({
        protocolVersion: '2025-11-25',
      });
    },
  );

  test.each([...STATEFUL])('initialize %s gets the same back', async (version) => {
    expect((await (await fresh()).call('initialize', hello(version))).result).toMatchObject({
      protocolVersion: version,
    });
  });

  test('initialize without what it needs is -32602, and a good one works afterwards', async () => {
    const wire = await fresh();
    wire.say('{"jsonrpc":"2.0","id":"a","method":"initialize"}');
    expect((await wire.answerTo('a')).error?.code).toBe(-32602);
    for (const bad of [
      hello(5),
      { ...hello('2025-11-25'), capabilities: null },
      { ...hello('2025-11-25'), clientInfo: {} },
    ]) {
      expect((await wire.call('initialize', bad)).error?.code).toBe(-32602);
    }
    expect((await wire.call('initialize', hello('2025-11-25'))).result).toBeDefined();
  });

  test('a call before initialize is an error that says what to do; ping is answered', async () => {
    const wire = await fresh();
    const reply = await wire.call('tools/call', { name: 'echo' });
    expect(reply.error).toMatchObject({ code: -32602, data: { supported: [...REVISIONS].reverse() } });
    expect((await wire.call('ping')).result).toEqual({});
  });

  test.each<[string, object]>([
    ['no capabilities', { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }],
    ['no version', { 'io.modelcontextprotocol/clientCapabilities': {} }],
    ['a version that is no string', claim({}, { 'io.modelcontextprotocol/protocolVersion': 5 })],
    ['capabilities that are none', claim([])],
    ['a client that is none', claim({}, { 'io.modelcontextprotocol/clientInfo': { name: 'x' } })],
    ['a level that is none', claim({}, { 'io.modelcontextprotocol/logLevel': 'loud' })],
  ])('_meta with %s is -32602', async (_, _meta) => {
    expect((await (await fresh()).call('tools/list', { _meta })).error?.code).toBe(-32602);
  });

  test('a revision that nobody knows is -32022, with those that are served', async () => {
    const _meta = claim({}, { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' });
    expect((await (await fresh()).call('tools/list', { _meta })).error).toMatchObject({
      code: -32022,
      data: { supported: [...REVISIONS].reverse(), requested: '1900-01-01' },
    });
  });

  test.each(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'initialize'])(
    '%s is -32601 under 2026-07-28',
    async (method) => {
      const wire = await open(server);
      expect((await wire.call(method, { level: 'info', uri: 'x:' })).error?.code).toBe(-32601);
    },
  );

  test('initialize after stateless traffic is served, and discover changes nothing', async () => {
    const wire = await fresh();
    expect((await wire.call('server/discover', { _meta: claim() })).result).toBeDefined();
    expect((await wire.call('tools/list', { _meta: claim() })).result).toBeDefined();
    expect((await wire.call('initialize', hello('2025-06-18'))).result).toMatchObject({
      protocolVersion: '2025-06-18',
    });
    expect((await wire.call('tools/list')).result).not.toHaveProperty('resultType');
    expect((await wire.call('tools/list', { _meta: claim() })).result).toHaveProperty('resultType', 'complete');
  });
});

describe('arguments', () => {
  test.each<[string, unknown]>([
    ['echo', { text: 5 }],
    ['echo', {}],
    ['add', { a: '1', b: 2 }],
    ['add', { a: true, b: 1 }],
    ['add', [1, 2]],
    ['add', 'x'],
    ['add', null],
  ])('%s with %j is refused, nothing is coerced', async (name, args) => {
    ran.mockClear();
    const wire = await open(server);
    const reply = await wire.call('tools/call', { name, arguments: args });
    expect(reply.error?.code === -32602 || reply.result?.['isError'] === true).toBe(true);
    expect(ran).not.toHaveBeenCalled();
  });

  test.each(['{"__proto__":{"a":1,"b":2}}', '{"constructor":{"a":1}}', '{"a":1,"b":null}'])(
    'add with %s is refused, and nothing is polluted',
    async (args) => {
      const wire = await open(server);
      wire.say(
        `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":${args},"_meta":${META}}}`,
      );
      expect((await wire.answerTo(7)).result).toMatchObject({ isError: true });
      expect(({} as Record<string, unknown>)['a']).toBeUndefined();
    },
  );

  test('a hundred thousand levels deep are refused or taken, never a crash', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const wire = await open(server);
    for (const params of [
      `{"name":"echo","arguments":{"text":${deep}},"_meta":${META}}`,
      `{"name":${deep},"_meta":${META}}`,
      `{"name":"echo","_meta":${deep}}`,
    ]) {
      const replies = await said(wire, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params}}`);
      expect(replies).toHaveLength(1);
    }
  });
});

describe('cancelling', () => {
  const wait = (wire: Wire, id: string | number): void => {
    void wire.call('tools/call', { name: 'wait' }, id);
  };

  test.each(REVISIONS)('a running call brings no further message for it: %s', async (revision) => {
    const wire = await open(server, { revision });
    wait(wire, 5);
    wire.notify('notifications/cancelled', { requestId: 5 });
    for (const end of release.splice(0)) end();
    await quiet();
    expect(wire.received).toEqual([]);
  });

  test('what is not running, in any type, is ignored', async () => {
    const wire = await open(server, { revision: '2025-11-25' });
    wait(wire, 5);
    for (const params of [
      '{"requestId":6}',
      '{"requestId":"5"}',
      '{"requestId":"__proto__"}',
      '{"requestId":{}}',
      '{"requestId":null}',
      '{}',
      '[]',
      '{"requestId":[5]}',
      '{"requestId":5.5}',
      '{"requestId":true}',
    ]) {
      wire.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`);
    }
    wire.say('{"jsonrpc":"2.0","method":"notifications/cancelled"}');
    for (const end of release.splice(0)) end();
    expect((await wire.answerTo(5)).result).toBeDefined();
    expect(wire.received).toHaveLength(1);
  });

  test('two hundred calls back to back: none is answered twice', async () => {
    const wire = await open(server);
    for (let id = 0; id < 200; id++) {
      if (id % 2) wait(wire, id);
      else void wire.call('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, id);
      wire.notify('notifications/cancelled', { requestId: id });
      wire.notify('notifications/cancelled', { requestId: id });
    }
    for (const end of release.splice(0)) end();
    await quiet();
    const ids = wire.received.map((one) => one.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => Number(id) % 2 === 0)).toBe(true);
    expect((await wire.call('tools/list', {}, 'end')).result).toBeDefined();
  });

  test('initialize cannot be cancelled', async () => {
    const slow = new McpServer({ name: 's', version: '1' }).use(async (_, next) => {
      await quiet();
      return next();
    });
    const wire = await open(slow, { revision: 'none' });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const greeting = wire.call('initialize', params, 1);
    wire.notify('notifications/cancelled', { requestId: 1 });
    expect((await greeting).result).toBeDefined();
  });

  test('twenty thousand progress notifications that nobody waits for are quickly forgotten', async () => {
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const wire = await open(server, { revision });
      const started = performance.now();
      for (let i = 0; i < 20_000; i++) wire.notify('notifications/progress', { progressToken: `t${i}`, progress: i });
      expect((await wire.call('tools/list')).result).toBeDefined();
      expect(performance.now() - started).toBeLessThan(500);
      expect(wire.received).toHaveLength(1);
    }
  });
});

test('a message that answers nothing and asks nothing rejects nowhere', async () => {
  const wire = await open(server, { revision: '2025-11-25' });
  const unhandled = await unhandledDuring(async () => {
    for (const text of ['{}', '[[]]', '[null]', '"x"', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1}']) wire.say(text);
  });
  expect(unhandled).toEqual([]);
});

test.each(REVISIONS)(
  'a call with 1,000 levels of arguments leaves the memory account as it was, %s',
  async (revision) => {
    const wire = await open(server, { revision });
    const nested = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    const params = `"name":"wait","arguments":{"x":${nested}}${revision === '2026-07-28' ? `,"_meta":${META}` : ''}`;
    wire.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}}`);
    await quiet();
    const { kept } = server['~internals'].usage;
    const room = (): boolean => kept.hasRoom({ caller: 'another' }, 30 * 2 ** 20);
    expect(room()).toBe(true);
    for (const resolve of release.splice(0)) resolve();
    await quiet();
    expect([room(), kept.hasRoom({ caller: 'another' }, 200 * 2 ** 20)]).toEqual([true, false]);
    expect((await wire.call('tools/list', {}, 'alive?')).result).toBeDefined();
  },
);
