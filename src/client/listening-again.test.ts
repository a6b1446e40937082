import { ConnectionError, RpcError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { notice, ScriptedConversation, soon, Watched } from '../../test/scripted-conversation.ts';

const LIST_CHANGED = 'notifications/tools/list_changed';

async function begin(): Promise<{ server: ScriptedConversation; client: Watched }> {
  const server = new ScriptedConversation('stateless', {});
  const client = new Watched();
  await client.watches.begin(server);
  return { server, client };
}

/** Watches several things at once, and lets the server agree. */
async function watch(client: Watched, server: ScriptedConversation, ...names: string[]) {
  const adding = Promise.all(names.map((name) => client.add(name)));
  await soon();
  server.last.acknowledge();
  return adding;
}

/** A server that has acknowledged `tools` and ended the listen. */
async function ended(): Promise<{ server: ScriptedConversation; client: Watched }> {
  const both = await begin();
  await watch(both.client, both.server, 'tools');
  both.server.last.end();
  await soon();
  return both;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a listen that the server ends', () => {
  const ways: readonly (readonly [string, (server: ScriptedConversation) => void])[] = [
    ['by its result', (server) => server.last.end()],
    ['by an error', (server) => server.last.fail(RpcError.internal('Down'))],
    ['by a connection that broke', (server) => server.last.fail(new ConnectionError('failed', 'The stream ended'))],
  ];

  test.each(ways)('%s is sent again after a second, and who watches is told to read again', async (_, end) => {
    const { server, client } = await begin();
    await watch(client, server, 'tools', 'x:/a');
    end(server);
    await vi.advanceTimersByTimeAsync(999);
    expect(server.listens).toHaveLength(1);
    expect(server.openListens).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(server.last.filter).toEqual({ toolsListChanged: true, resourceSubscriptions: ['x:/a'] });
    expect(client.news()).toEqual([]);
    server.last.acknowledge();
    const resync = [
      { type: 'tools', resync: true },
      { type: 'resource', uri: 'x:/a', resync: true },
    ];
    expect(client.news()).toEqual([
      ['tools', resync[0]],
      ['x:/a', resync[1]],
    ]);
    // Answers kept from before may be as old as what the listeners know.
    expect(client.changes).toEqual(resync);
    server.last.say(LIST_CHANGED);
    expect(client.news()).toEqual([['tools', { type: 'tools' }]]);
    expect([client.errors, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('is sent again ever less often, without end: that it failed five times is told once', async () => {
    const { server, client } = await ended();
    for (const pause of [1000, 2000, 4000, 8000, 16_000]) {
      const sent = server.listens.length;
      await vi.advanceTimersByTimeAsync(pause - 1);
      expect(server.listens).toHaveLength(sent);
      expect(client.errors).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(server.listens).toHaveLength(sent + 1);
      server.last.fail(RpcError.internal('Still down'));
      await soon();
    }
    expect(client.errors).toEqual([
      new ConnectionError(
        'failed',
        'Changes are not heard of until the server takes it again: subscriptions/listen failed 5 times',
      ),
    ]);
    expect(client.errors[0]?.cause).toEqual(RpcError.internal('Still down'));
    const adding = expect(client.add('prompts')).rejects.toThrow('Still down');
    await soon();
    server.last.fail(RpcError.internal('Still down'));
    await adding;
    for (let n = 0; n < 20; n++) {
      const sent = server.listens.length;
      await vi.advanceTimersByTimeAsync(29_999);
      expect(server.listens).toHaveLength(sent);
      await vi.advanceTimersByTimeAsync(1);
      expect(server.listens).toHaveLength(sent + 1);
      server.last.fail(new ConnectionError('unreachable', 'Still down'));
      await soon();
    }
    expect(client.errors).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(30_000);
    server.last.acknowledge();
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
  });

  test.each([
    ['a method it does not know', RpcError.methodNotFound('subscriptions/listen')],
    ['HTTP status 403', new ConnectionError('http-error', 'No', { status: 403 })],
  ])('is given up when it is refused for good, with %s, until the next conversation', async (_what, refusal) => {
    const { server, client } = await ended();
    for (let n = 0; n < 5; n++) {
      await vi.advanceTimersByTimeAsync(16_000);
      server.last.fail(refusal);
      await soon();
    }
    expect(client.errors.map(({ message }) => message)).toEqual([
      'Changes are not heard of until the next connection: subscriptions/listen failed 5 times',
    ]);
    expect(vi.getTimerCount()).toBe(0);

    const next = new ScriptedConversation('stateless');
    const beginning = client.watches.begin(next);
    next.last.acknowledge();
    await beginning;
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
  });

  test('has all its tries again once it was acknowledged', async () => {
    const { server, client } = await ended();
    const failOften = async (): Promise<void> => {
      for (let n = 0; n < 4; n++) {
        const sent = server.listens.length;
        while (server.listens.length === sent) await vi.advanceTimersByTimeAsync(1000);
        server.last.fail(RpcError.internal('Down'));
        await soon();
      }
      await vi.advanceTimersByTimeAsync(30_000);
    };
    await failOften();
    server.last.acknowledge();
    server.last.end();
    await soon();
    await failOften();
    expect(server.openListens).toEqual([server.last]);
    expect(client.errors).toEqual([]);
    client.watches.close();
  });

  test('and fails for somebody new goes on being tried for the others', async () => {
    const { server, client } = await ended();
    await vi.advanceTimersByTimeAsync(1000);
    const refused = expect(client.add('tools too', 'tools')).rejects.toThrow('Down');
    server.last.fail(RpcError.internal('Down'));
    await refused;
    await vi.advanceTimersByTimeAsync(2000);
    server.last.acknowledge();
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('counts as failed when it is not acknowledged in time', async () => {
    const { server, client } = await ended();
    for (const pause of [1000, 2000, 4000, 8000, 16_000]) {
      expect(client.errors).toEqual([]);
      await vi.advanceTimersByTimeAsync(pause + 30_000);
    }
    expect(server.listens).toHaveLength(6);
    expect(server.openListens).toEqual([]);
    expect(client.errors).toHaveLength(1);
  });

  test('as often as it is acknowledged is sent again every 30 s at last', async () => {
    const { server, client } = await ended();
    const pauses: number[] = [];
    for (let n = 0; n < 8; n++) {
      const [sent, before] = [server.listens.length, Date.now()];
      while (server.listens.length === sent) await vi.advanceTimersByTimeAsync(500);
      pauses.push(Date.now() - before);
      server.last.acknowledge();
      server.last.end();
      await soon();
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    await vi.advanceTimersByTimeAsync(30_000);
    server.last.acknowledge();
    await vi.advanceTimersByTimeAsync(60_000);
    server.last.end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(server.openListens).toHaveLength(1);
    expect(client.errors).toEqual([]);
    client.watches.close();
  });

  test('while its successor is on its way is not sent again; the successor tells to read again', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools');
    const adding = client.add('prompts');
    await soon();
    server.listens[0]?.end();
    await vi.advanceTimersByTimeAsync(5000);
    expect(server.listens).toHaveLength(2);
    server.last.acknowledge();
    await adding;
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is sent again at once for somebody new', async () => {
    const { server, client } = await ended();
    const adding = client.add('prompts');
    await soon();
    expect(server.last.filter).toEqual({ toolsListChanged: true, promptsListChanged: true });
    server.last.acknowledge();
    await adding;
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not sent again when nobody watches any more', async () => {
    const { server, client } = await begin();
    const [stop] = await watch(client, server, 'tools');
    server.last.end();
    await soon();
    expect(vi.getTimerCount()).toBe(1);
    await stop?.();
    expect(vi.getTimerCount()).toBe(0);
    expect(server.listens).toHaveLength(1);
  });

  test('and then honours nothing is reported, not kept open, and not tried again for that', async () => {
    const { server, client } = await ended();
    await vi.advanceTimersByTimeAsync(1000);
    server.last.acknowledge({});
    expect(server.openListens).toEqual([]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.listens).toHaveLength(2);
    expect(client.errors.map((error) => error.message)).toEqual([
      'The server does not tell changes of its tools (capability tools.listChanged)',
    ]);
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the next conversation', () => {
  test('is listened to for everything that was watched in the last', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools', 'x:/a');
    client.watches.pause();
    expect(server.openListens).toEqual([]);
    server.listens[0]?.say(LIST_CHANGED);
    const next = new ScriptedConversation('stateless');
    const beginning = client.watches.begin(next);
    const joined = client.add('tools too', 'tools');
    const more = client.add('prompts');
    await soon();
    expect(next.listens.map((listen) => listen.filter)).toEqual([
      { toolsListChanged: true, resourceSubscriptions: ['x:/a'] },
    ]);
    next.last.acknowledge();
    await Promise.all([beginning, joined]);
    expect(client.news()).toEqual([
      ['tools', { type: 'tools', resync: true }],
      ['x:/a', { type: 'resource', uri: 'x:/a', resync: true }],
    ]);
    await soon();
    next.last.acknowledge();
    await more;
    expect(client.news()).toEqual([]);
    expect(server.listens).toHaveLength(1);
    expect([client.errors, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('that refuses the listen says so, and is asked again', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools');
    const next = new ScriptedConversation('stateless');
    const beginning = client.watches.begin(next);
    next.last.fail(RpcError.internal('Not yet'));
    await expect(beginning).rejects.toEqual(RpcError.internal('Not yet'));
    expect(server.openListens).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    next.last.acknowledge();
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
    expect([client.errors, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('is through when all have stopped before it answers', async () => {
    const { server, client } = await begin();
    const [stop] = await watch(client, server, 'tools');
    const next = new ScriptedConversation('stateless');
    const beginning = client.watches.begin(next);
    await stop?.();
    await beginning;
    expect([next.openListens, client.errors, vi.getTimerCount()]).toEqual([[], [], 0]);
  });

  test('may be of the other family', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools', 'x:/a');
    const next = new ScriptedConversation('stateful');
    const beginning = client.watches.begin(next);
    await soon();
    expect(next.requested).toEqual(['resources/subscribe x:/a']);
    next.calls[0]?.answer();
    await beginning;
    expect(client.news()).toHaveLength(2);
    expect(client.watches.take(notice(LIST_CHANGED))).toBe(true);
    expect(client.news()).toEqual([['tools', { type: 'tools' }]]);
  });
});

test('who waits when the conversation ends is told, and is not kept for the next', async () => {
  const { server, client } = await begin();
  await watch(client, server, 'tools');
  const adding = [client.add('prompts'), client.add('x:/a')];
  await soon();
  adding.push(client.add('x:/b'));
  client.watches.pause();
  expect([server.openListens, server.listens.length, vi.getTimerCount()]).toEqual([[], 2, 0]);
  const next = new ScriptedConversation('stateless');
  const beginning = client.watches.begin(next);
  for (const { status, reason } of (await Promise.allSettled(adding)) as PromiseRejectedResult[]) {
    expect([status, reason.code]).toEqual(['rejected', 'closed']);
  }
  expect(next.last.filter).toEqual({ toolsListChanged: true });
  next.last.acknowledge();
  await beginning;
  expect(next.listens).toHaveLength(1);
});

test.each(['with one open', 'with one on its way', 'between two'])(
  'closing leaves no listen and no timer: %s',
  async (when) => {
    const { server, client } = await begin();
    await watch(client, server, 'tools');
    const adding = when === 'with one on its way' ? client.add('prompts') : undefined;
    const refused = adding && expect(adding).rejects.toMatchObject({ code: 'closed' });
    await soon();
    if (when === 'between two') server.last.end();
    await soon();
    client.watches.close();
    await refused;
    expect(vi.getTimerCount()).toBe(0);
    expect(server.openListens).toEqual([]);
    for (const listen of server.listens) listen.say(LIST_CHANGED);
    await vi.advanceTimersByTimeAsync(120_000);
    expect([client.news(), client.errors]).toEqual([[], []]);
  },
);
