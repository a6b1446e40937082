import type { Connection, ConnectOptions } from 'mcpp/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { playStateful, type Script } from '../../test/script.ts';
import { quiet, unhandledDuring } from '../../test/wire.ts';

afterEach(() => {
  vi.useRealTimers();
});

const ask = (script: Script, id: number | string, method = 'roots/list'): void =>
  script.say({ jsonrpc: '2.0', id, method });

describe('the clock of a call', () => {
  const called = async (
    options: ConnectOptions,
  ): Promise<{ script: Script; call: Promise<unknown>; client: Connection }> => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const { script, client } = await playStateful({ timeout: 1000, ...options });
    return { script, client, call: client.callTool('t').catch((error: unknown) => error) };
  };

  test('goes on while a server only pings, or asks what nobody answers', async () => {
    const { script, call } = await called({});
    for (let time = 0; time < 1000; time += 100) {
      ask(script, time, 'ping');
      ask(script, `x${time}`, 'no/such');
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(await call).toMatchObject({ code: 'timeout' });
  });

  test('goes on from where it stood when a question is answered', async () => {
    let answer = (): void => {};
    const onListRoots = (): Promise<{ roots: [] }> =>
      new Promise((resolve) => {
        answer = () => resolve({ roots: [] });
      });
    const { script, call } = await called({ onListRoots });
    await vi.advanceTimersByTimeAsync(900);
    ask(script, 1);
    await vi.advanceTimersByTimeAsync(60_000);
    answer();
    await vi.advanceTimersByTimeAsync(99);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await call).toMatchObject({ code: 'timeout' });
  });
});

describe('a server that asks', () => {
  test('and takes back, again and again, does not start more than a hundred handlers', async () => {
    let running = 0;
    const { script, client } = await playStateful({
      onListRoots: () => {
        running++;
        return new Promise(() => {});
      },
    });
    for (let id = 0; id < 5000; id++) {
      ask(script, id);
      script.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
    await quiet();
    expect(running).toBe(100);
    expect(script.sent).toHaveLength(4900);
    expect(script.sent[0]).toMatchObject({ error: { code: -32603, message: 'Too many requests at once' } });
    await client.close();
  });

  test('twice with the same id is answered once', async () => {
    const errors: Error[] = [];
    const { script } = await playStateful({ roots: [], onError: (error) => errors.push(error) });
    ask(script, 1);
    ask(script, 1);
    await quiet();
    expect(script.sent).toEqual([{ jsonrpc: '2.0', id: 1, result: { roots: [] } }]);
    expect(errors).toMatchObject([{ code: 'malformed' }]);
  });

  test('and whose answer cannot be written as JSON is told that there is none', async () => {
    const errors: Error[] = [];
    const { script } = await playStateful({
      onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'x' }, n: 1n }) as never,
      onError: (error) => errors.push(error),
    });
    const params = { messages: [], maxTokens: 1 };
    script.say({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params });
    await quiet();
    expect(script.sent).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'The client failed to answer' } },
    ]);
    expect(errors).toHaveLength(1);
  });
});

describe('what belongs to nobody', () => {
  test('an error without an id is told, and no call is taken for its own', async () => {
    const errors: Error[] = [];
    const { script, client } = await playStateful({ onError: (error) => errors.push(error) });
    const call = client.callTool('a');
    script.say({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
    script.say({ jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } });
    expect(errors).toMatchObject([{ name: 'RpcError', code: -32700 }, { code: -32700 }]);
    script.reply({ content: [] });
    expect(await call).toEqual({ content: [] });
  });

  test('a listener that is asynchronous and fails is told to onError, and ends nothing', async () => {
    const errors: string[] = [];
    const fails = (name: string) => async () => {
      throw new Error(name);
    };
    const unhandled = await unhandledDuring(async () => {
      const { script, client } = await playStateful({
        onLog: fails('onLog'),
        onNotification: fails('onNotification'),
        onStateChange: fails('onStateChange'),
        onError: async (error) => {
          errors.push(error.message);
          throw new Error('onError');
        },
      });
      const call = client.callTool('t', {}, { onProgress: fails('onProgress') });
      const { id } = script.sent[0] ?? {};
      script.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
      script.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } });
      script.reply({ content: [] }, id);
      await call;
      await client.close();
    });
    expect(unhandled).toEqual([]);
    expect(new Set(errors)).toEqual(new Set(['onLog', 'onNotification', 'onStateChange', 'onProgress']));
  });

  test('a level that is none is the caller’s mistake', async () => {
    const { client } = await playStateful();
    await expect(client.setLogLevel('loud' as never)).rejects.toThrow(TypeError);
    await expect(playStateful({ logLevel: 'loud' as never })).rejects.toThrow(TypeError);
  });

  test('a log message without a level is no log message, and a listener that fails harms no other', async () => {
    const [logged, noted, errors]: unknown[][] = [[], [], []];
    const { script } = await playStateful({
      onLog: ({ data }) => {
        logged?.push(data);
        throw new Error('not mine');
      },
      onNotification: ({ method }) => noted?.push(method),
      onError: (error) => errors?.push(error.message),
    });
    script.say({ jsonrpc: '2.0', method: 'notifications/message' });
    script.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
    expect([logged, noted?.length, errors]).toEqual([['x'], 2, ['not mine']]);
  });

  test('a level is not set in a server that does not log', async () => {
    const { client, script } = await playStateful();
    await client.setLogLevel('debug');
    expect(script.sent).toEqual([]);
  });
});
