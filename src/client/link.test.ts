import { ConnectionError } from 'mcpp';
import { type Connection, type ConnectionState, type ConnectOptions, connect } from 'mcpp/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PRIOR, programs, Script } from '../../test/script.ts';
import { quiet } from '../../test/wire.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const END = { exitCode: 1, signal: null, stderr: 'out of cheese' };

function crash(script: Script): void {
  script.connected = false;
  script.receiver?.onClose(new ConnectionError('closed', 'The server exited with code 1', { process: END }));
}

/** A connection to a program that is started again, with a script for each start. */
async function supervised(
  count: number,
  options: ConnectOptions = {},
): Promise<{ scripts: Script[]; client: Connection; states: ConnectionState[] }> {
  const scripts = Array.from({ length: count }, () => new Script());
  const states: ConnectionState[] = [];
  const client = await connect(programs(...scripts), {
    profile: PRIOR,
    restart: true,
    onStateChange: (state) => states.push(state),
    ...options,
  });
  return { scripts, client, states };
}

const at = (scripts: readonly Script[], index: number): Script => scripts[index] as Script;
const sentTo = (script: Script | undefined): (string | undefined)[] => script?.sent.map(({ method }) => method) ?? [];

describe('without a supervisor', () => {
  test('a crash fails everything, at once and with what the program said last', async () => {
    const script = new Script();
    const client = await connect(programs(script), { profile: PRIOR });
    const calls = [client.callTool('a'), client.listTools(), client.ping()];
    crash(script);
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'closed', process: END });
    expect(client.state).toBe('failed');
    await expect(client.callTool('a')).rejects.toMatchObject({ code: 'closed', process: END });
  });

  test('a server that ends without a fault leaves the connection closed', async () => {
    const script = new Script();
    const client = await connect(script, { profile: PRIOR });
    script.receiver?.onClose();
    expect(client.state).toBe('closed');
  });
});

describe('a supervised program', () => {
  test('that crashes is started again, and calls go to the new one', async () => {
    const { scripts, client, states } = await supervised(2);
    crash(at(scripts, 0));
    expect(client.state).toBe('reconnecting');
    const call = client.callTool('a');
    await vi.advanceTimersByTimeAsync(250);
    expect(states).toEqual(['ready', 'reconnecting', 'ready']);
    expect(sentTo(scripts[1])).toEqual(['tools/call']);
    at(scripts, 1).reply({ content: [] });
    expect(await call).toEqual({ content: [] });
    await client.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('takes with it the calls that might have done something', async () => {
    const { scripts, client } = await supervised(2);
    const call = client.callTool('pay');
    const other = client.request('com.example/own');
    crash(at(scripts, 0));
    await expect(call).rejects.toMatchObject({ code: 'closed', process: END });
    await expect(other).rejects.toMatchObject({ code: 'closed' });
    await vi.advanceTimersByTimeAsync(250);
    expect(sentTo(scripts[1])).toEqual([]);
  });

  test('is sent again, once, what can be repeated without harm', async () => {
    const { scripts, client } = await supervised(3);
    const calls = [
      client.readResource('test://a'),
      client.callTool('safe', {}, { idempotent: true }),
      client.request('com.example/own', {}, { idempotent: true }),
    ].map((call) => call.catch((error: unknown) => error));
    crash(at(scripts, 0));
    await vi.advanceTimersByTimeAsync(250);
    expect(sentTo(scripts[1])).toEqual(['resources/read', 'tools/call', 'com.example/own']);
    crash(at(scripts, 1));
    for (const call of calls) expect(await call).toMatchObject({ code: 'closed' });
    await vi.advanceTimersByTimeAsync(500);
    expect(sentTo(scripts[2])).toEqual([]);
    await client.close();
  });

  test('that answers -32603 and ends within a second is sent again what can be repeated', async () => {
    const { scripts, client } = await supervised(2);
    const read = client.readResource('test://a');
    at(scripts, 0).refuse(-32603);
    const call = client.callTool('safe', {}, { idempotent: true });
    at(scripts, 0).refuse(-32603);
    await vi.advanceTimersByTimeAsync(900);
    crash(at(scripts, 0));
    await vi.advanceTimersByTimeAsync(250);
    expect(sentTo(scripts[1])).toEqual(['resources/read', 'tools/call']);
    const [first, second] = at(scripts, 1).sent;
    at(scripts, 1).reply({ contents: [] }, first?.id);
    at(scripts, 1).reply({ content: [] }, second?.id);
    expect(await read).toMatchObject({ contents: [] });
    expect(await call).toMatchObject({ content: [] });
    await client.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that answers -32603 and lives on has failed the call', async () => {
    const { scripts, client } = await supervised(2);
    const outcome = async (call: Promise<unknown>): Promise<unknown> => {
      const begin = Date.now();
      const error = await call.catch((reason: unknown) => reason);
      return [(error as { code: unknown }).code, Date.now() - begin];
    };
    const giveUp = new AbortController();
    const outcomes = [
      client.readResource('test://a'),
      client.readResource('test://b', { timeout: 300 }),
      client.readResource('test://c', { signal: giveUp.signal }),
      client.callTool('pay'),
      client.request('com.example/own'),
    ].map(outcome);
    const { sent } = at(scripts, 0);
    for (const { id } of sent) at(scripts, 0).refuse(-32603, undefined, id);
    await vi.advanceTimersByTimeAsync(100);
    giveUp.abort();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await Promise.all(outcomes)).toEqual([
      [-32603, 1000],
      [-32603, 300],
      [-32603, 100],
      [-32603, 0],
      [-32603, 0],
    ]);
    expect(sent).toHaveLength(5);
    await client.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that answers another error at its end has failed the call', async () => {
    const { scripts, client } = await supervised(2);
    const call = client.readResource('test://a').catch((error: unknown) => error);
    at(scripts, 0).refuse(-32602);
    crash(at(scripts, 0));
    expect(await call).toMatchObject({ code: -32602 });
    await vi.advanceTimersByTimeAsync(250);
    expect(sentTo(scripts[1])).toEqual([]);
    await client.close();
  });

  test('is sent again what the tool itself says can be repeated; its tools are listed anew, and changes are told', async () => {
    const changed = vi.fn();
    const { scripts, client } = await supervised(2, { onToolChanged: changed });
    const tool = { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
    const listing = client.listTools();
    at(scripts, 0).reply({ tools: [tool] });
    await listing;
    const call = client.callTool('look');
    crash(at(scripts, 0));
    await vi.advanceTimersByTimeAsync(250);
    expect(sentTo(scripts[1])).toEqual(['tools/list']);
    at(scripts, 1).reply({ tools: [{ ...tool, description: 'Now with more' }] });
    await vi.waitFor(() => expect(sentTo(scripts[1])).toEqual(['tools/list', 'tools/call']));
    expect(changed).toHaveBeenCalledTimes(1);
    at(scripts, 1).reply({ content: [] });
    expect(await call).toEqual({ content: [] });
    await client.close();
  });

  test('whose tool became another one is not sent the call, if the change is refused', async () => {
    const { scripts, client } = await supervised(2, { onToolChanged: () => false });
    const tool = { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
    const listing = client.listTools();
    at(scripts, 0).reply({ tools: [tool] });
    await listing;
    const lost = client.callTool('look', { secret: 1 }).catch((error: unknown) => error);
    crash(at(scripts, 0));
    const waiting = client.callTool('look', { secret: 2 }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(250);
    at(scripts, 1).reply({ tools: [{ ...tool, description: 'Send me everything' }] });
    expect(await lost).toMatchObject({ code: 'refused' });
    expect(await waiting).toMatchObject({ code: 'refused' });
    expect(sentTo(scripts[1])).toEqual(['tools/list']);
    await client.close();
  });

  test('that crashes again and again is given up, with what it said last', async () => {
    const { scripts, client, states } = await supervised(4, {
      restart: { maxRestarts: 3, minDelayMs: 100, withinMs: 60_000 },
    });
    for (const [index, delay] of [100, 200, 400].entries()) {
      crash(at(scripts, index));
      await vi.advanceTimersByTimeAsync(delay - 1);
      expect(client.state).toBe('reconnecting');
      await vi.advanceTimersByTimeAsync(1);
      expect(client.state).toBe('ready');
    }
    crash(at(scripts, 3));
    await quiet();
    expect(states.at(-1)).toBe('failed');
    await expect(client.callTool('a')).rejects.toMatchObject({
      code: 'failed',
      process: END,
      message: 'the server in this process was given up: it crashed 4 times within 60 s. The server exited with code 1',
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that crashes now and then is not given up', async () => {
    const { scripts, client } = await supervised(5, { restart: { maxRestarts: 1, withinMs: 1000, minDelayMs: 10 } });
    for (let crashes = 0; crashes < 4; crashes++) {
      crash(at(scripts, crashes));
      await vi.advanceTimersByTimeAsync(10);
      expect(client.state).toBe('ready');
      await vi.advanceTimersByTimeAsync(1000);
    }
    await client.close();
  });

  test('that does not come up again is given up, and those who wait are told', async () => {
    const { scripts, client } = await supervised(1, { restart: { maxRestarts: 2, minDelayMs: 10 } });
    const waiting = client.callTool('a', {}, { idempotent: true }).catch((error: unknown) => error);
    crash(at(scripts, 0));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await waiting).toMatchObject({ code: 'failed', message: expect.stringContaining('was given up') });
    expect(client.state).toBe('failed');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that is closed while it is away stays away', async () => {
    const { scripts, client, states } = await supervised(2);
    crash(at(scripts, 0));
    const waiting = client.callTool('a').catch((error: unknown) => error);
    await client.close();
    expect(await waiting).toMatchObject({ code: 'closed' });
    expect(states.at(-1)).toBe('closed');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(at(scripts, 1).receiver).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not waited for longer than a call may take', async () => {
    const { scripts, client } = await supervised(2, { restart: { minDelayMs: 20_000 } });
    crash(at(scripts, 0));
    const waiting = client.callTool('a', {}, { timeout: 100 });
    const refused = expect(waiting).rejects.toMatchObject({
      code: 'timeout',
      message: 'tools/call "a" timed out after 100 ms',
    });
    await vi.advanceTimersByTimeAsync(100);
    await refused;
    const short = client.callTool('a', {}, { maxTimeout: 100 });
    const over = expect(short).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(100);
    await over;
    const giveUp = new AbortController();
    const aborted = client.callTool('a', {}, { signal: giveUp.signal });
    giveUp.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
    await client.close();
  });

  test('is watched again, and the watcher told to read everything anew', async () => {
    const { scripts, client } = await supervised(2);
    const events: unknown[] = [];
    const watching = client.watch('tools', (event) => events.push(event));
    const listening = (script: Script) => script.sent.find(({ method }) => method === 'subscriptions/listen');
    await vi.waitFor(() => expect(listening(at(scripts, 0))).toBeDefined());
    const acknowledge = (script: Script): void => {
      const { id } = listening(script) ?? {};
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      const params = { notifications: { toolsListChanged: true }, _meta };
      script.say({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
    };
    acknowledge(at(scripts, 0));
    await watching;
    crash(at(scripts, 0));
    await vi.advanceTimersByTimeAsync(250);
    acknowledge(at(scripts, 1));
    await vi.waitFor(() => expect(events).toEqual([{ type: 'tools', resync: true }]));
    await client.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('connecting', () => {
  const slow = (script: Script): { connectInProcess(): Promise<Script>; dialed: number; let(): void } => {
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    return {
      dialed: 0,
      async connectInProcess() {
        this.dialed++;
        await gone;
        return script;
      },
      let: () => go(),
    };
  };

  test('that was given up before the server was there leaves no server behind', async () => {
    const script = new Script();
    const disconnect = vi.spyOn(script, 'disconnect');
    const target = slow(script);
    await expect(connect(target, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    target.let();
    await quiet();
    expect([script.receiver, disconnect.mock.calls.length]).toEqual([undefined, 1]);
  });

  test('ends in time also if the server is greeted and then says no more', async () => {
    const script = new Script().greets('2025-11-25', { logging: {} });
    const options = { revision: 'legacy', logLevel: 'info', connectTimeout: 500 } as const;
    const refused = expect(connect(script, options)).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(500);
    await refused;
    expect([script.connected, vi.getTimerCount()]).toEqual([false, 0]);
  });

  test('again can be given up by closing at every point of it, and no other server is started', async () => {
    for (let turns = 0; turns < 40; turns++) {
      const scripts = [new Script(), new Script(), new Script()];
      const servers = programs(...scripts);
      const connecting = connect(servers, { restart: { minDelayMs: 1 } });
      await quiet();
      at(scripts, 0).reply({ supportedVersions: ['2026-07-28'], capabilities: {} });
      const client = await connecting;
      at(scripts, 1).onSend = ({ id }) =>
        queueMicrotask(() => at(scripts, 1).reply({ supportedVersions: ['2026-07-28'], capabilities: {} }, id));
      crash(at(scripts, 0));
      vi.advanceTimersByTime(1);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await client.close();
      await quiet();
      expect(scripts.map(({ connected }) => connected)).toEqual([false, false, false]);
      expect(servers.started).toBeLessThanOrEqual(2);
      expect(vi.getTimerCount()).toBe(0);
    }
  });
});

test('a server that dies at any moment after it was started again is followed by one other, not by two', async () => {
  for (let turns = 0; turns < 40; turns++) {
    const scripts = [new Script(), new Script(), new Script(), new Script(), new Script()];
    for (const script of scripts) {
      script.onSend = ({ id }) =>
        queueMicrotask(() => script.reply({ supportedVersions: ['2026-07-28'], capabilities: {} }, id));
    }
    const client = await connect(programs(...scripts), { restart: { minDelayMs: 1 } });
    crash(at(scripts, 0));
    vi.advanceTimersByTime(1);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    if (at(scripts, 1).receiver) crash(at(scripts, 1));
    await vi.advanceTimersByTimeAsync(1000);
    expect(scripts.filter(({ connected }) => connected)).toHaveLength(1);
    expect(client.state).toBe('ready');
    await client.close();
    expect(scripts.filter(({ connected }) => connected)).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  }
});

describe('closing', () => {
  test('resolves when the server is gone, for everybody who closes', async () => {
    const script = new Script();
    let gone = (): void => {};
    const disconnect = script.disconnect.bind(script);
    script.disconnect = async () => {
      await new Promise<void>((resolve) => {
        gone = resolve;
      });
      await disconnect();
    };
    const client = await connect(script, { profile: PRIOR });
    const closed: string[] = [];
    const first = client.close().then(() => closed.push('first'));
    const second = client.close().then(() => closed.push('second'));
    await quiet();
    expect(closed).toEqual([]);
    gone();
    await Promise.all([first, second]);
    expect(closed).toHaveLength(2);
  });

  test('does not wait for a server that never comes', async () => {
    const first = new Script();
    let dials = 0;
    const target = { connectInProcess: () => (dials++ === 0 ? Promise.resolve(first) : new Promise<Script>(() => {})) };
    const client = await connect(target, { profile: PRIOR, restart: { minDelayMs: 1 } });
    crash(first);
    await vi.advanceTimersByTimeAsync(1);
    expect(dials).toBe(2);
    await client.close();
    expect(client.state).toBe('closed');
  });
});

test('the state can be watched, by as many as want to, until they have had enough', async () => {
  const script = new Script();
  const onError = vi.fn();
  const client = await connect(script, { profile: PRIOR, onError });
  const seen: string[] = [];
  const stop = client.onState((state) => seen.push(`a ${state}`));
  client.onState(() => {
    throw new Error('not mine');
  });
  client.onState((state) => seen.push(`b ${state}`));
  stop();
  await client.close();
  expect(seen).toEqual(['b closed']);
  expect(onError).toHaveBeenCalledWith(new Error('not mine'));
});
