import { ConnectionError, type Notification, RpcError } from 'mcpp';
import { Client, connect } from 'mcpp/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PRIOR, play, playStateful, Script } from '../../test/script.ts';
import { quiet, unhandledDuring } from '../../test/wire.ts';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const idOf = (script: Script): unknown => script.sent.find(({ method }) => method === 'subscriptions/listen')?.id;

/** What the server says on the subscription. */
function say(script: Script, method: string, params: object = {}): void {
  script.say({ jsonrpc: '2.0', method, params: { ...params, _meta: { [SUBSCRIPTION]: idOf(script) } } });
}

async function open(options = {}, listenOptions = {}) {
  const { script, client } = await play(options);
  const heard: [string, unknown][] = [];
  const opening = client.listen({ taskIds: ['a', 'b'] }, (...news) => heard.push(news), listenOptions);
  await quiet();
  return { script, client, heard, opening };
}

async function acknowledged(options = {}, listenOptions = {}) {
  const { opening, ...rest } = await open(options, listenOptions);
  say(rest.script, ACKNOWLEDGED, { notifications: { taskIds: ['a'] } });
  return { ...rest, subscription: await opening };
}

describe('a subscription', () => {
  test('is a request of its own, and stands when the server acknowledges it', async () => {
    const { script, client, opening } = await open();
    expect(script.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: {
          notifications: { taskIds: ['a', 'b'] },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
            'io.modelcontextprotocol/clientInfo': { name: 'mcpp', version: '0.1.0' },
          },
        },
      },
    ]);
    say(script, ACKNOWLEDGED, { notifications: { taskIds: ['a'] } });
    const { accepted: honoured } = await opening;
    expect(honoured).toEqual({ taskIds: ['a'] });
    expect(vi.getTimerCount()).toBe(0);
    await client.close();
  });

  test('tells what the server says on it, and nobody else', async () => {
    const onNotification = vi.fn<(notification: Notification) => void>();
    const { script, client, heard } = await acknowledged({ onNotification });
    say(script, 'notifications/tasks', { taskId: 'a' });
    script.say({ jsonrpc: '2.0', method: 'notifications/tasks', params: { taskId: 'elsewhere' } });
    expect(heard).toEqual([['notifications/tasks', { taskId: 'a', _meta: { [SUBSCRIPTION]: 1 } }]]);
    expect(onNotification.mock.calls.map(([one]) => one.params)).toEqual([{ taskId: 'elsewhere' }]);
    await client.close();
  });

  test('does not keep a listener’s failure from being told, nor the next news from being heard', async () => {
    const errors: Error[] = [];
    const { script, client } = await play({ onError: (error) => errors.push(error) });
    const heard: unknown[] = [];
    const opening = client.listen({}, (_method, { n }) => {
      heard.push(n);
      throw new Error(`listener ${String(n)}`);
    });
    await quiet();
    say(script, ACKNOWLEDGED, { notifications: 5 });
    expect((await opening).accepted).toEqual({});
    say(script, 'notifications/tasks', { n: 1 });
    say(script, 'notifications/tasks', { n: 2 });
    expect(heard).toEqual([1, 2]);
    expect(errors.map(({ message }) => message)).toEqual(['listener 1', 'listener 2']);
    await client.close();
  });

  test('passes the functions around what comes in', async () => {
    const script = new Script();
    const client = new Client({ name: 'c', version: '1' }, { profile: PRIOR }).use(async (call, next) => {
      await undefined;
      return next({ ...call, params: { ...call.params, seen: call.method } });
    });
    const connection = await client.connect(script);
    const heard: unknown[] = [];
    const opening = connection.listen({}, (_method, { seen }) => heard.push(seen));
    await quiet();
    say(script, ACKNOWLEDGED, { notifications: {} });
    say(script, 'notifications/tasks');
    await opening;
    await quiet();
    expect(heard).toEqual(['notifications/tasks']);
    await connection.close();
  });
});

describe('a subscription ends', () => {
  test('when it is closed here: the server is told, and nothing more is heard', async () => {
    const { script, client, heard, subscription } = await acknowledged();
    subscription.close();
    await subscription.closed;
    expect(script.sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
    say(script, 'notifications/tasks');
    subscription.close();
    expect(heard).toEqual([]);
    expect(script.sent).toHaveLength(2);
    await client.close();
  });

  test('when the signal aborts', async () => {
    const abort = new AbortController();
    const { script, client, subscription } = await acknowledged({}, { signal: abort.signal });
    abort.abort();
    await subscription.closed;
    expect(script.sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await client.close();
  });

  test.each<[string, (script: Script) => void]>([
    ['answers it', (script) => script.reply({ resultType: 'complete' }, 1)],
    ['refuses it late', (script) => script.refuse(-32603, undefined, 1)],
    [
      'cancels it',
      (script) => script.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
    ],
    ['is lost', (script) => script.receiver?.onClose(new ConnectionError('closed', 'exit 1'))],
  ])('when the server %s', async (_name, end) => {
    const unhandled = await unhandledDuring(async () => {
      const { script, client, subscription } = await acknowledged();
      end(script);
      await subscription.closed;
      await client.close();
    });
    expect(unhandled).toEqual([]);
  });

  test('with the connection', async () => {
    const { client, subscription } = await acknowledged();
    await Promise.all([client.close(), subscription.closed]);
  });
});

describe('a subscription does not come about', () => {
  test('if the server refuses it', async () => {
    const { script, client, opening } = await open();
    script.refuse(-32021, { requiredCapabilities: {} });
    await expect(opening).rejects.toEqual(new RpcError(-32021, 'no', { requiredCapabilities: {} }));
    expect(vi.getTimerCount()).toBe(0);
    await client.close();
  });

  test('if the server ends it before it acknowledged it', async () => {
    const { script, client, opening } = await open();
    script.reply({});
    await expect(opening).rejects.toThrow('The server ended subscriptions/listen');
    await client.close();
  });

  test('if the server does not acknowledge it in time, whatever else it says on it', async () => {
    const { script, client, opening } = await open();
    const refused = expect(opening).rejects.toMatchObject({
      code: 'timeout',
      message: 'subscriptions/listen timed out: the server did not acknowledge it within 30000 ms',
    });
    await vi.advanceTimersByTimeAsync(29_999);
    say(script, 'notifications/tasks');
    expect(script.sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await refused;
    expect(script.sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(vi.getTimerCount()).toBe(0);
    await client.close();
  });

  test('if the caller gives up', async () => {
    const abort = new AbortController();
    const { script, client, opening } = await open({}, { signal: abort.signal });
    abort.abort();
    await expect(opening).rejects.toMatchObject({ code: 'aborted' });
    expect(script.sent[1]).toMatchObject({ method: 'notifications/cancelled' });
    const again = client.listen({}, () => {}, { signal: abort.signal });
    await expect(again).rejects.toMatchObject({ code: 'aborted' });
    expect(script.sent).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
    await client.close();
  });

  test('if the connection ends', async () => {
    const { client, opening } = await open();
    await Promise.all([expect(opening).rejects.toMatchObject({ code: 'closed' }), client.close()]);
    await expect(client.listen({}, () => {})).rejects.toMatchObject({ code: 'closed' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('where the revision has none', async () => {
    const { script, client } = await playStateful();
    await expect(client.listen({ taskIds: [] }, () => {})).rejects.toMatchObject({
      code: 'refused',
      message: 'subscriptions/listen needs protocol revision 2026-07-28 or a later one; 2025-11-25 is spoken here',
    });
    expect(script.sent).toEqual([]);
    await client.close();
  });
});

test('a subscription stands beside the one for what is watched', async () => {
  const script = new Script();
  const client = await connect(script, { profile: PRIOR });
  const watching = client.watch('tools', () => {});
  await vi.waitFor(() => expect(script.sent).toHaveLength(1));
  say(script, ACKNOWLEDGED, { notifications: { toolsListChanged: true } });
  await watching;
  const opening = client.listen({ taskIds: ['a'] }, () => {});
  await quiet();
  expect(script.sent.map(({ params }) => params?.['notifications'])).toEqual([
    { toolsListChanged: true },
    { taskIds: ['a'] },
  ]);
  const _meta = { [SUBSCRIPTION]: 2 };
  script.say({ jsonrpc: '2.0', method: ACKNOWLEDGED, params: { notifications: { taskIds: ['a'] }, _meta } });
  (await opening).close();
  await quiet();
  // Only the one that was closed is given up.
  expect(script.sent.slice(2).map(({ params }) => params?.['requestId'])).toEqual([2]);
  await client.close();
});
