import { ConnectionError, memoryPair } from 'mcpp';
import { type ConnectionOptions, connect } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { PRIOR, play, Script } from '../../test/script.ts';
import { quiet, REVISIONS, STATEFUL, unhandledDuring } from '../../test/wire.ts';

afterEach(() => {
  vi.useRealTimers();
});

const server = new McpServer({ name: 's', version: '1' }, { instructions: 'Be kind', onError: () => {} }).registerTool(
  'echo',
  { inputSchema: z.object({ text: z.string() }) },
  ({ text }, ctx) => {
    ctx.reportProgress(1, 2, 'half');
    ctx.log.error('logged');
    return text;
  },
);

describe('a connection', () => {
  test.each(REVISIONS)('calls, lists, hears of progress and of logs: %s', async (revision) => {
    const progress: unknown[] = [];
    const notices: string[] = [];
    const client = await connect(server, {
      revision,
      logLevel: 'error',
      onNotification: ({ method }) => notices.push(method),
    });
    const result = await client.callTool('echo', { text: 'hi' }, { onProgress: (one) => progress.push(one) });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
    expect(progress).toEqual([{ progress: 1, total: 2, ...(revision === '2024-11-05' ? {} : { message: 'half' }) }]);
    expect(notices).toEqual(['notifications/message']);
    expect((await client.listTools()).tools).toMatchObject([{ name: 'echo' }]);
    await expect(client.callTool('nope' as 'echo', {} as never)).rejects.toMatchObject({
      name: 'RpcError',
      code: -32602,
    });
    expect(client.revision).toBe(revision);
    await client.close();
    await expect(client.listTools()).rejects.toMatchObject({ name: 'ConnectionError', code: 'closed' });
  });

  test.each([...STATEFUL])('knows its server after the greeting: %s', async (revision) => {
    const connection = await connect(server, { revision });
    expect(connection.serverInfo).toEqual({ name: 's', version: '1' });
    expect(connection.instructions).toBe('Be kind');
    expect(connection.serverCapabilities).toHaveProperty('tools');
  });

  test('with a server that speaks another revision fails, and is closed', async () => {
    const only = new McpServer({ name: 's', version: '1' }, { revisions: ['2025-03-26'] });
    await expect(connect(only, { revision: '2025-11-25' })).rejects.toMatchObject({ code: 'failed' });
    await expect(connect(server, { revision: '1900-01-01' as never })).rejects.toThrow(TypeError);
  });

  test('unknown fields survive the way there and back', async () => {
    const mirror = new McpServer({ name: 's', version: '1' }).setHandler('com.example/mirror', (params) => ({
      params,
    }));
    for (const revision of REVISIONS) {
      const connection = await connect(mirror, { revision });
      const params = { a: { b: [null, 'é', 1.5] }, _meta: { 'com.example/x': { y: [] } } };
      expect(await connection.request('com.example/mirror', params)).toMatchObject({ params });
    }
  });

  test('that ends rejects what waits', async () => {
    const { script, client } = await play();
    const call = client.listTools();
    script.receiver?.onClose(new Error('exit 1'));
    await expect(call).rejects.toMatchObject({ code: 'closed', cause: new Error('exit 1') });
  });
});

describe('a call', () => {
  test('that is given up is cancelled by its id, once', async () => {
    const { script, client } = await play();
    const abort = new AbortController();
    const call = client.callTool('t', {}, { signal: abort.signal });
    const { id } = script.sent[0] ?? {};
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    expect(script.sent.slice(1)).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: id } }]);
    script.reply({}, id);
    expect(script.sent).toHaveLength(2);
  });

  test('that is given up before it is sent is not sent', async () => {
    const { script, client } = await play();
    await expect(client.callTool('t', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect(script.sent).toEqual([]);
  });

  test('initialize is never cancelled', async () => {
    vi.useFakeTimers();
    const script = new Script();
    const connecting = connect(script, { revision: '2025-11-25', connectTimeout: 1000 });
    const refused = expect(connecting).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(1000);
    await refused;
    expect(script.sent.map((one) => one.method)).toEqual(['initialize']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that is given up on a broken line is rejected, and throws at nobody', async () => {
    const { script, client } = await play();
    const call = client.callTool('t', {}, { timeout: 5 });
    script.onSend = () => {
      throw new ConnectionError('closed', 'EPIPE');
    };
    const thrown: unknown[] = [];
    const keep = (error: unknown): void => {
      thrown.push(error);
    };
    const others = process.rawListeners('uncaughtException') as ((error: unknown) => void)[];
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', keep);
    await expect(call).rejects.toMatchObject({ code: 'timeout' });
    await quiet();
    process.removeListener('uncaughtException', keep);
    for (const other of others) process.on('uncaughtException', other);
    expect(thrown).toEqual([]);
  });

  test('lives as long as there is progress', async () => {
    vi.useFakeTimers();
    const { script, client } = await play({ timeout: 1000 });
    const call = client.callTool('t');
    const { progressToken: token } = { ...(script.sent[0]?.params?.['_meta'] as { progressToken: number }) };
    for (let progress = 1; progress < 5; progress++) {
      await vi.advanceTimersByTimeAsync(900);
      script.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress } });
    }
    script.reply({ content: [] }, script.sent[0]?.id);
    expect(await call).toEqual({ content: [] });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('stands still while its server has a question open with us', async () => {
    const slow = new McpServer({ name: 's', version: '1' }).registerTool(
      't',
      {},
      async (_, ctx) => (await ctx.elicit('?', z.object({}))).action,
    );
    // A server loads what asks with its first question, which takes no time by the clock of a test.
    const first = await connect(slow, { revision: '2025-11-25', onElicit: () => ({ action: 'decline' }) });
    await first.callTool('t');
    await first.close();
    vi.useFakeTimers();
    const onElicit = (): Promise<{ action: 'decline' }> =>
      new Promise((resolve) => setTimeout(() => resolve({ action: 'decline' }), 10 * 60_000));
    const client = await connect(slow, { revision: '2025-11-25', timeout: 1000, onElicit });
    const call = client.callTool('t').catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(11 * 60_000);
    expect(await call).toMatchObject({ content: [{ text: 'decline' }] });
  });

  test('answered by something that is no result is rejected as malformed', async () => {
    const { script, client } = await play();
    const call = client.callTool('t');
    script.reply(5);
    await expect(call).rejects.toMatchObject({ code: 'malformed' });
    const other = client.callTool('t');
    script.reply({ resultType: 'surprise' });
    await expect(other).rejects.toMatchObject({ code: 'malformed' });
  });

  test('that fails leaves nothing behind in a thousand goes', async () => {
    vi.useFakeTimers();
    const { script, client } = await play();
    for (let i = 0; i < 1000; i++) {
      const call = client.callTool('t', {}, { onProgress: () => {} });
      script.say({ jsonrpc: '2.0', id: script.sent.at(-1)?.id, error: { code: 1, message: 'no' } });
      await expect(call).rejects.toMatchObject({ code: 1 });
    }
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('rounds', () => {
  const question = { method: 'roots/list' };

  test('are answered with a new id, the same params and the state as it was', async () => {
    const { script, client } = await play({ onListRoots: () => ({ roots: [] }) });
    const call = client.callTool('t', { a: 1 });
    script.reply({ resultType: 'input_required', inputRequests: { x: question }, requestState: ' odd "state" ' });
    await quiet();
    const [first, second] = script.sent;
    expect(second?.params).toMatchObject({
      name: 't',
      arguments: { a: 1 },
      inputResponses: { x: { roots: [] } },
      requestState: ' odd "state" ',
    });
    expect(second?.id).not.toBe(first?.id);
    script.reply({ resultType: 'input_required', inputRequests: { y: question } });
    await quiet();
    const third = script.sent[2]?.params ?? {};
    expect(third['inputResponses']).toEqual({ y: { roots: [] } });
    expect(third).not.toHaveProperty('requestState');
    script.reply({ content: [] });
    expect(await call).toEqual({ content: [] });
  });

  test('do not go on for ever', async () => {
    const { script, client } = await play({ onListRoots: () => ({ roots: [] }) });
    const call = client.callTool('t').catch((error: unknown) => error);
    for (let i = 0; i < 30; i++) {
      script.reply({ resultType: 'input_required', inputRequests: { x: question }, requestState: 's' });
      await quiet();
    }
    expect(await call).toMatchObject({ code: 'failed' });
    expect(script.sent.length).toBeLessThanOrEqual(11);
  });

  test('without questions are paced, not repeated at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const { script, client } = await play();
    const call = client.callTool('t').catch((error: unknown) => error);
    script.reply({ resultType: 'input_required', requestState: 's' });
    await quiet();
    const atOnce = script.sent.length;
    await vi.advanceTimersByTimeAsync(5000);
    await quiet();
    script.reply({ content: [] });
    await client.close();
    await call;
    expect([atOnce, script.sent.length]).toEqual([1, 2]);
  });

  test('without questions may be more than ten', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { script, client } = await play();
    const call = client.callTool('t');
    for (let leg = 1; leg <= 15; leg++) {
      expect(script.sent).toHaveLength(leg);
      script.reply({ resultType: 'input_required', requestState: `s${leg}` });
      await quiet();
      await vi.advanceTimersByTimeAsync(5000);
    }
    expect(script.sent.at(-1)?.params).toMatchObject({ requestState: 's15' });
    script.reply({ content: [] });
    expect(await call).toEqual({ content: [] });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that nobody can answer end the call, and are not repeated', async () => {
    const { script, client } = await play();
    const call = client.callTool('t');
    script.reply({ resultType: 'input_required', inputRequests: { x: question }, requestState: 's' });
    // The server did not answer this, so it is no answer of the server's.
    await expect(call).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'refused',
      message: 'tools/call "t": This client did not declare the capability "roots", which the question needs',
    });
    expect(script.sent).toHaveLength(1);
  });
});

describe('a question of the server’s', () => {
  const greeted = async (options: ConnectionOptions): Promise<Script> => {
    const script = new Script();
    script.onSend = ({ method, id }) => {
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };
      if (method === 'initialize') queueMicrotask(() => script.reply(result, id));
    };
    await connect(script, { revision: '2025-11-25', ...options });
    script.sent.length = 0;
    return script;
  };

  test('is answered, and ping is too', async () => {
    const script = await greeted({ onListRoots: () => ({ roots: [] }) });
    script.say({ jsonrpc: '2.0', id: 'a', method: 'roots/list' });
    script.say({ jsonrpc: '2.0', id: 0, method: 'ping' });
    script.say({ jsonrpc: '2.0', id: 'b', method: 'no/such' });
    await quiet();
    expect(script.sent).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 'a', result: { roots: [] } },
        { jsonrpc: '2.0', id: 0, result: {} },
        { jsonrpc: '2.0', id: 'b', error: { code: -32601, message: 'Method not found: no/such' } },
      ]),
    );
  });

  test('that cannot be answered tells nothing of why', async () => {
    const script = await greeted({ onListRoots: () => Promise.reject(new Error('/home/me/secret')) });
    script.say({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    await quiet();
    expect(script.sent).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(JSON.stringify(script.sent)).not.toContain('secret');
  });

  test('that was withdrawn is not answered', async () => {
    let answer: (roots: { roots: [] }) => void = () => {};
    const script = await greeted({
      onListRoots: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    script.say({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    script.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    answer({ roots: [] });
    await quiet();
    expect(script.sent).toEqual([]);
  });

  test('whose answer cannot be sent rejects nowhere', async () => {
    const script = await greeted({ onListRoots: () => ({ roots: [] }), onError: () => {} });
    script.onSend = () => Promise.reject(new Error('EPIPE'));
    const unhandled = await unhandledDuring(async () => {
      script.say({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
      script.say({ jsonrpc: '2.0', id: 2, method: 'ping' });
      await quiet();
    });
    expect(unhandled).toEqual([]);
  });
});

test('what the client declares is what it has handlers for, in the words of the revision', async () => {
  const declared = async (revision: (typeof REVISIONS)[number], options: ConnectionOptions): Promise<unknown> => {
    let seen: unknown;
    const spy = new McpServer({ name: 's', version: '1' }).setHandler('com.example/a', (_, ctx) => {
      seen = ctx.capabilities;
      return {};
    });
    const connection = await connect(spy, { revision, ...options });
    await connection.request('com.example/a');
    return seen;
  };
  const onElicit = (): { action: 'cancel' } => ({ action: 'cancel' });
  const onSample = (): never => JSON.parse('x') as never;
  expect(await declared('2026-07-28', {})).toEqual({});
  expect(await declared('2026-07-28', { onElicit })).toEqual({ elicitation: { form: {}, url: {} } });
  expect(await declared('2025-06-18', { onElicit, onSample })).toEqual({ elicitation: {}, sampling: {} });
  expect(await declared('2025-03-26', { onElicit, onListRoots: () => ({ roots: [] }) })).toEqual({
    roots: { listChanged: true },
  });
});

test('an unreadable message of the server’s is told to onError, and the connection lives', async () => {
  const onError = vi.fn();
  const [near, far] = memoryPair();
  const client = await connect(near, { onError, profile: PRIOR });
  await far.connect({ onMessage: () => {}, onError: () => {}, onClose: () => {} });
  void far.send({ jsonrpc: '1.0' } as never);
  await quiet();
  expect(onError).toHaveBeenCalledTimes(1);
  await client.close();
});
