import { ConnectionError } from 'mcpp';
import { connect } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { programs, Script, type Sent } from '../../test/script.ts';
import { quiet, REVISIONS } from '../../test/wire.ts';

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'old', version: '1' },
};
const DISCOVERED = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'new', version: '2' } },
};

const methods = ({ sent }: Script): (string | undefined)[] => sent.map(({ method }) => method);

/** Answers each method with a result, or not at all. */
function scripted(answers: Readonly<Record<string, (script: Script, message: Sent) => void>>): Script {
  const script = new Script();
  script.onSend = (message) => {
    const answer = answers[message.method ?? ''];
    if (answer) queueMicrotask(() => answer(script, message));
  };
  return script;
}

const discovers = (script: Script, { id }: Sent): void => script.reply(DISCOVERED, id);
const initializes = (script: Script, { id }: Sent): void => script.reply(INITIALIZED, id);
const refuses =
  (code: number, data?: unknown) =>
  (script: Script, { id }: Sent): void =>
    script.refuse(code, data, id);

afterEach(() => {
  vi.useRealTimers();
});

describe('by default', () => {
  test.each(REVISIONS)('a server that speaks only %s is found to do so', async (revision) => {
    const server = new McpServer({ name: 's', version: '1' }, { revisions: [revision], instructions: 'Be kind' });
    const connection = await connect(server);
    expect(connection).toMatchObject({
      state: 'ready',
      revision,
      serverInfo: { name: 's', version: '1' },
      instructions: 'Be kind',
    });
    await connection.close();
  });

  test('a server of the newest revision costs one round trip, and the bytes are these', async () => {
    const script = scripted({ 'server/discover': discovers });
    const connection = await connect(script, { info: { name: 'me', version: '3' } });
    expect(script.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 'discover',
        method: 'server/discover',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
            'io.modelcontextprotocol/clientInfo': { name: 'me', version: '3' },
          },
        },
      },
    ]);
    expect(connection.serverInfo).toEqual({ name: 'new', version: '2' });
    expect(connection.serverCapabilities).toEqual({ tools: {} });
  });

  test('an older server costs one round trip more, over the same connection', async () => {
    const script = scripted({ 'server/discover': refuses(-32601), initialize: initializes });
    const connection = await connect(script, { info: { name: 'me', version: '3' } });
    expect(script.sent.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'me', version: '3' } },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ]);
    expect(connection.revision).toBe('2025-11-25');
  });

  test('a malformed answer is reported with its path, and the connection is closed', async () => {
    const script = scripted({ 'server/discover': (one, { id }) => one.reply({ supportedVersions: 'all' }, id) });
    await expect(connect(script)).rejects.toMatchObject({
      code: 'malformed',
      message: 'Malformed reply to server/discover: /result/supportedVersions must be an array of strings',
    });
    expect(methods(script)).toEqual(['server/discover']);
    expect(script.connected).toBe(false);
  });

  test('a server that dies of the question is started once more and greeted in the old way', async () => {
    const first = scripted({ 'server/discover': (script) => script.receiver?.onClose(new Error('exit 1')) });
    const second = scripted({ initialize: initializes });
    const servers = programs(first, second);
    const connection = await connect(servers);
    expect([servers.started, connection.revision]).toEqual([2, '2025-11-25']);
    expect(methods(second)).toEqual(['initialize', 'notifications/initialized']);
  });

  test('a server that dies whatever it is told is an error that says so', async () => {
    const dies = (script: Script): void =>
      script.receiver?.onClose(
        new ConnectionError('closed', 'exited', { process: { exitCode: 3, signal: null, stderr: 'no such module' } }),
      );
    const servers = programs(scripted({ 'server/discover': dies }), scripted({ initialize: dies }));
    await expect(connect(servers)).rejects.toMatchObject({
      code: 'closed',
      process: { exitCode: 3, stderr: 'no such module' },
    });
    expect(servers.started).toBe(2);
  });

  test('a server that does not answer what it does not know is greeted in the old way after a while', async () => {
    vi.useFakeTimers();
    const script = scripted({ initialize: initializes });
    const connecting = connect(script, { probeTimeout: 700 });
    await vi.advanceTimersByTimeAsync(699);
    expect(methods(script)).toEqual(['server/discover']);
    await vi.advanceTimersByTimeAsync(1);
    const connection = await connecting;
    expect(connection.revision).toBe('2025-11-25');
    expect(methods(script)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    // The answer that comes after all changes nothing.
    script.reply(DISCOVERED, 'discover');
    expect(connection.revision).toBe('2025-11-25');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a server of the newest revision that was only slow is spoken to in it', async () => {
    vi.useFakeTimers();
    const script = scripted({
      initialize: (one, { id }) => {
        one.reply(DISCOVERED, 'discover');
        one.refuse(-32601, undefined, id);
      },
    });
    const connecting = connect(script, { probeTimeout: 700 });
    await vi.advanceTimersByTimeAsync(700);
    expect((await connecting).revision).toBe('2026-07-28');
  });

  test('a slow server that refuses the session and names the newest revision is waited for', async () => {
    vi.useFakeTimers();
    const script = scripted({ initialize: refuses(-32022, { supported: ['2026-07-28'], requested: '2025-11-25' }) });
    const connecting = connect(script, { probeTimeout: 700 });
    await vi.advanceTimersByTimeAsync(700);
    script.reply(DISCOVERED, 'discover');
    expect((await connecting).revision).toBe('2026-07-28');
  });

  test('a server that never answers anything is given up in time, and nothing is left', async () => {
    vi.useFakeTimers();
    const script = new Script();
    const connecting = connect(script, { probeTimeout: 700, connectTimeout: 5000 });
    const refused = expect(connecting).rejects.toMatchObject({
      code: 'timeout',
      message: 'Connecting to the server timed out after 5000 ms',
    });
    await vi.advanceTimersByTimeAsync(5000);
    await refused;
    expect(script.connected).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('connecting can be given up', async () => {
    const script = new Script();
    const giveUp = new AbortController();
    const connecting = connect(script, { signal: giveUp.signal });
    await quiet();
    giveUp.abort();
    await expect(connecting).rejects.toMatchObject({ code: 'aborted' });
    expect(script.connected).toBe(false);
  });

  test('what the server says before it is greeted is not answered, but pings are once a session is opened', async () => {
    const script = new Script();
    const connecting = connect(script);
    await quiet();
    script.say({ jsonrpc: '2.0', id: 7, method: 'ping' });
    script.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'hi' } });
    script.refuse(-32601, undefined, 'discover');
    await quiet();
    script.say({ jsonrpc: '2.0', id: 8, method: 'ping' });
    script.say({ jsonrpc: '2.0', id: 9, method: 'roots/list' });
    await quiet();
    script.reply(INITIALIZED, 1);
    await connecting;
    expect(script.sent.slice(1)).toMatchObject([
      { method: 'initialize' },
      { id: 8, result: {} },
      { method: 'notifications/initialized' },
      // What came while the answer to initialize was being read is answered when it has been.
      { id: 9, error: { code: -32601 } },
    ]);
  });

  test('a server that counter-offers the newest revision in a session does not get it', async () => {
    const script = scripted({
      'server/discover': refuses(-32601),
      initialize: (one, { id }) => one.reply({ ...INITIALIZED, protocolVersion: '2026-07-28' }, id),
    });
    await expect(connect(script)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(
        /^No common protocol revision: the server speaks 2026-07-28, this client 2025-11-25/,
      ),
    });
  });
});

describe('a server that says much at once', () => {
  test('is heard also in the moment in which its session is opened', async () => {
    const logged: unknown[] = [];
    const script = scripted({
      initialize: (one, { id }) => {
        one.reply({ ...INITIALIZED, capabilities: { logging: {} } }, id);
        one.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'hello' } });
        one.say({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
      },
    });
    const options = {
      revision: 'legacy',
      roots: [],
      onLog: ({ data }: { data: unknown }) => logged.push(data),
    } as const;
    await connect(script, options);
    await quiet();
    expect(logged).toEqual(['hello']);
    expect(script.sent.slice(1)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: { roots: [] } },
    ]);
  });

  test('and does not say what its error is about is believed to mean the only question there is', async () => {
    const script = scripted({
      'server/discover': (one) => one.refuse(-32700, undefined, null as never),
      initialize: initializes,
    });
    expect((await connect(script)).revision).toBe('2025-11-25');
  });
});

describe('legacy', () => {
  test('asks nothing first', async () => {
    const script = scripted({ initialize: initializes });
    await connect(script, { revision: 'legacy' });
    expect(methods(script)).toEqual(['initialize', 'notifications/initialized']);
  });
});

describe('a pinned revision', () => {
  test('of the newest kind is asked for, and nothing else will do', async () => {
    const script = scripted({ 'server/discover': refuses(-32601), initialize: initializes });
    await expect(connect(script, { revision: '2026-07-28' })).rejects.toMatchObject({
      code: 'failed',
      message:
        'The server does not speak protocol revision 2026-07-28: it does not know server/discover. ' +
        'Leave out "revision" to use the newest that both know',
    });
    expect(methods(script)).toEqual(['server/discover']);
  });

  test('of an older kind is asked for, and nothing else will do', async () => {
    const script = scripted({ initialize: initializes });
    await expect(connect(script, { revision: '2025-03-26' })).rejects.toMatchObject({ code: 'failed' });
    expect(script.sent[0]).toMatchObject({ params: { protocolVersion: '2025-03-26' } });
  });

  test('that does not exist is the caller’s mistake', async () => {
    await expect(connect(new Script(), { revision: '1900-01-01' as never })).rejects.toThrow(TypeError);
  });
});

describe('a verdict', () => {
  test('on a server of the newest revision spares every round trip, and is JSON', async () => {
    const first = await connect(scripted({ 'server/discover': discovers }));
    const prior = JSON.parse(JSON.stringify(first.profile));
    const script = new Script();
    const second = await connect(script, { profile: prior });
    expect(script.sent).toEqual([]);
    expect(second.serverInfo).toEqual({ name: 'new', version: '2' });
    expect(second.profile.revision).toBe('2026-07-28');
  });

  test('on an older server spares the question, for a day', async () => {
    vi.useFakeTimers();
    const prior = { revision: '2025-06-18', capabilities: {}, at: Date.now() };
    vi.advanceTimersByTime(23 * 3_600_000);
    const script = scripted({ initialize: initializes });
    await connect(script, { profile: prior });
    expect(methods(script)).toEqual(['initialize', 'notifications/initialized']);
    vi.advanceTimersByTime(2 * 3_600_000);
    const later = scripted({ 'server/discover': discovers });
    expect((await connect(later, { profile: prior })).revision).toBe('2026-07-28');
  });

  test('that is not true any more is found out', async () => {
    const prior = { revision: '2025-11-25', capabilities: {}, at: Date.now() };
    const supported = ['2026-07-28'];
    const script = scripted({ initialize: refuses(-32022, { supported }), 'server/discover': discovers });
    const connection = await connect(script, { profile: prior });
    expect([connection.revision, methods(script)]).toEqual(['2026-07-28', ['initialize', 'server/discover']]);
    expect(connection.profile.at).toBeGreaterThanOrEqual(prior.at);
  });

  test('that was believed is not made younger by that', async () => {
    const prior = { revision: '2025-11-25', capabilities: {}, at: Date.now() - 1000 };
    const connection = await connect(scripted({ initialize: initializes }), { profile: prior });
    expect(connection.profile.at).toBe(prior.at);
  });

  test.each([{}, { revision: 5 }, { revision: '1999-01-01', at: 0 }, 'x', null])(
    'that makes no sense is as good as none: %j',
    async (prior) => {
      const script = scripted({ 'server/discover': discovers });
      expect((await connect(script, { profile: prior as never })).revision).toBe('2026-07-28');
    },
  );
});
