import { ConnectionError, RpcError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { notice, outcomeOf, ScriptedConversation, soon, Watched } from '../../test/scripted-conversation.ts';

const updated = (uri: unknown) => notice('notifications/resources/updated', { uri });

async function begin(capabilities?: object): Promise<{ server: ScriptedConversation; client: Watched }> {
  const server = new ScriptedConversation('stateful', capabilities);
  const client = new Watched();
  await client.watches.begin(server);
  return { server, client };
}

/** Watches a resource, and lets the server agree. */
async function watch(client: Watched, server: ScriptedConversation, name: string, uri: string) {
  const adding = client.add(name, uri);
  await soon();
  for (const call of server.calls) call.answer();
  return adding;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('a list', () => {
  test('is watched without a word to the server, which tells of it unasked', async () => {
    const { server, client } = await begin();
    const stops = [await client.add('tools'), await client.add('prompts'), await client.add('resources')];
    for (const list of ['tools', 'prompts', 'resources']) {
      expect(client.watches.take(notice(`notifications/${list}/list_changed`))).toBe(true);
    }
    expect(client.news()).toEqual([
      ['tools', { type: 'tools' }],
      ['prompts', { type: 'prompts' }],
      ['resources', { type: 'resources' }],
    ]);
    for (const stop of stops) await stop();
    expect(client.watches.take(notice('notifications/tools/list_changed'))).toBe(true);
    expect(client.news()).toEqual([]);
    expect(server.calls).toEqual([]);
  });

  test.each([
    ['tools', 'The server does not tell changes of its tools (capability tools.listChanged)'],
    ['prompts', 'The server does not tell changes of its prompts (capability prompts.listChanged)'],
    ['resources', 'The server does not tell changes of its resources (capability resources.listChanged)'],
    ['x:/a', 'The server does not tell changes of x:/a (capability resources.subscribe)'],
  ])('needs a capability, as a resource does: %s', async (what, message) => {
    for (const capabilities of [{}, { tools: {}, prompts: { listChanged: false }, resources: {} }]) {
      const { server, client } = await begin(capabilities);
      await expect(client.add(what)).rejects.toEqual(new ConnectionError('failed', message));
      client.watches.take(notice('notifications/tools/list_changed'));
      client.watches.take(updated('x:/a'));
      expect(client.news()).toEqual([]);
      expect(server.calls).toEqual([]);
    }
  });
});

describe('a resource', () => {
  test('is subscribed to by the first watcher and unsubscribed from by the last', async () => {
    const { server, client } = await begin();
    const first = client.add('first', 'x:/a');
    const second = client.add('second', 'x:/a');
    expect(await outcomeOf(first)).toBe('pending');
    expect(server.requested).toEqual(['resources/subscribe x:/a']);
    server.calls[0]?.answer();
    const [stopFirst, stopSecond, stopThird] = [await first, await second, await client.add('third', 'x:/a')];
    await stopSecond();
    await stopFirst();
    client.watches.take(updated('x:/a'));
    expect(client.news()).toEqual([['third', { type: 'resource', uri: 'x:/a' }]]);
    expect(server.requested).toHaveLength(1);
    const stopping = stopThird();
    expect(await outcomeOf(stopping)).toBe('pending');
    expect(server.requested).toEqual(['resources/subscribe x:/a', 'resources/unsubscribe x:/a']);
    server.calls[1]?.answer();
    await stopping;
    await stopThird();
    expect(server.requested).toHaveLength(2);
  });

  test('is told of together with what is inside it, under the URI that changed', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'folder', 'x:/a');
    for (const uri of ['x:/a', 'x:/a/b', 'x:/ab', 'x:/', 'x:/b']) client.watches.take(updated(uri));
    expect(client.news()).toEqual([
      ['folder', { type: 'resource', uri: 'x:/a' }],
      ['folder', { type: 'resource', uri: 'x:/a/b' }],
    ]);
  });

  test('is never mistaken for a list of the same name', async () => {
    const { client } = await begin();
    await client.add('resources');
    client.watches.take(updated('resources'));
    client.watches.take(updated('resources/a'));
    expect(client.news()).toEqual([]);
    expect(client.changes).toEqual([
      { type: 'resource', uri: 'resources' },
      { type: 'resource', uri: 'resources/a' },
    ]);
  });

  test('that changes before the subscription is answered has its change told', async () => {
    const { server, client } = await begin();
    const adding = client.add('x:/a');
    await soon();
    client.watches.take(updated('x:/a'));
    server.calls[0]?.answer();
    await adding;
    expect(client.news()).toEqual([['x:/a', { type: 'resource', uri: 'x:/a' }]]);
  });

  test('that the server refuses rejects, leaves nothing behind, and can be tried again', async () => {
    const { server, client } = await begin();
    const adding = client.add('x:/a');
    await soon();
    server.calls[0]?.fail(new RpcError(-32002, 'Resource not found'));
    await expect(adding).rejects.toEqual(new RpcError(-32002, 'Resource not found'));
    client.watches.take(updated('x:/a'));
    expect(client.news()).toEqual([]);
    await watch(client, server, 'again', 'x:/a');
    expect(server.requested).toEqual(['resources/subscribe x:/a', 'resources/subscribe x:/a']);
    expect(client.errors).toEqual([]);
  });

  test('that cannot be unsubscribed from is reported; who stopped has stopped', async () => {
    const { server, client } = await begin();
    const stop = await watch(client, server, 'x:/a', 'x:/a');
    const stopping = stop();
    await soon();
    server.calls[1]?.fail(RpcError.internal('No'));
    await stopping;
    expect(client.errors).toEqual([RpcError.internal('No')]);
    client.watches.take(updated('x:/a'));
    expect(client.news()).toEqual([]);
  });

  test('that is let go and watched again in one tick is not spoken of', async () => {
    const { server, client } = await begin();
    const stop = await watch(client, server, 'old', 'x:/a');
    const [, adding] = [stop(), client.add('new', 'x:/a')];
    await adding;
    client.watches.take(updated('x:/a'));
    expect(client.news()).toEqual([['new', { type: 'resource', uri: 'x:/a' }]]);
    expect(server.requested).toEqual(['resources/subscribe x:/a']);
  });

  test('is subscribed to again only after the server has answered the unsubscribing', async () => {
    const { server, client } = await begin();
    const stop = await watch(client, server, 'old', 'x:/a');
    void stop();
    await soon();
    const adding = client.add('new', 'x:/a');
    await soon();
    expect(server.requested).toEqual(['resources/subscribe x:/a', 'resources/unsubscribe x:/a']);
    server.calls[1]?.answer();
    await soon();
    expect(server.requested.at(-1)).toBe('resources/subscribe x:/a');
    server.calls[2]?.answer();
    await adding;
    expect(server.requested).toHaveLength(3);
  });

  test('whose URI is no string is not told of', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'x:/a', 'x:/a');
    for (const params of [undefined, {}, { uri: 5 }, { uri: null }, { uri: ['x:/a'] }]) {
      client.watches.take(notice('notifications/resources/updated', params));
    }
    expect([client.news(), client.changes, client.errors]).toEqual([[], [], []]);
  });
});

test('ten thousand resources are subscribed to a few at a time, and let go', async () => {
  const { server, client } = await begin();
  const uris = Array.from({ length: 10_000 }, (_, n) => `x:/${n}`);
  const adding = Promise.all(uris.map((uri) => client.add(uri)));
  const answerAll = async (): Promise<number> => {
    let most = 0;
    for (let answered = server.calls.length; ; ) {
      await soon();
      const waiting = server.calls.slice(answered);
      if (waiting.length === 0) return most;
      most = Math.max(most, waiting.length);
      for (const call of waiting) call.answer();
      answered += waiting.length;
    }
  };
  expect(await answerAll()).toBe(32);
  const stops = await adding;
  expect(new Set(server.requested).size).toBe(10_000);
  client.watches.take(updated('x:/9999'));
  expect(client.news()).toEqual([['x:/9999', { type: 'resource', uri: 'x:/9999' }]]);
  const stopping = Promise.all(stops.map((stop) => stop()));
  expect(await answerAll()).toBe(32);
  await stopping;
  expect(server.calls).toHaveLength(20_000);
});

describe('the next conversation', () => {
  test('is subscribed anew, and every listener is told to read again', async () => {
    const { server, client } = await begin();
    await client.add('tools');
    await watch(client, server, 'a', 'x:/a');
    await watch(client, server, 'a too', 'x:/a');
    client.watches.pause();
    const next = new ScriptedConversation('stateful');
    const beginning = client.watches.begin(next);
    await soon();
    expect(next.requested).toEqual(['resources/subscribe x:/a']);
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
    next.calls[0]?.answer();
    await beginning;
    expect(client.news()).toEqual([
      ['a', { type: 'resource', uri: 'x:/a', resync: true }],
      ['a too', { type: 'resource', uri: 'x:/a', resync: true }],
    ]);
    client.watches.take(updated('x:/a'));
    expect(client.news()).toHaveLength(2);
    expect(client.errors).toEqual([]);
  });

  test('may lack what the last one had: that is reported, the rest lives on', async () => {
    const { server, client } = await begin();
    await client.add('tools');
    await client.add('prompts');
    await watch(client, server, 'a', 'x:/a');
    await watch(client, server, 'b', 'x:/b');
    const next = new ScriptedConversation('stateful', {
      prompts: { listChanged: true },
      resources: { subscribe: true },
    });
    const beginning = client.watches.begin(next);
    await soon();
    next.calls[0]?.fail(new RpcError(-32002, 'Resource not found'));
    next.calls[1]?.answer();
    await beginning;
    expect(client.errors.map((error) => error.message)).toEqual([
      'The server does not tell changes of its tools (capability tools.listChanged)',
      'The server does not tell changes of x:/a (Resource not found)',
    ]);
    expect(client.errors[1]?.cause).toEqual(new RpcError(-32002, 'Resource not found'));
    expect(
      client
        .news()
        .map(([name]) => name)
        .sort(),
    ).toEqual(['a', 'b', 'prompts', 'tools']);
    const retry = client.add('again', 'x:/a');
    await soon();
    expect(next.requested.at(-1)).toBe('resources/subscribe x:/a');
    next.calls.at(-1)?.answer();
    await retry;
  });

  test('that is gone before it is established rejects once and reports nothing', async () => {
    const { server, client } = await begin();
    for (let n = 0; n < 50; n++) await watch(client, server, 'a', `x:/${n}`);
    const next = new ScriptedConversation('stateful');
    const beginning = client.watches.begin(next);
    const refused = expect(beginning).rejects.toMatchObject({ code: 'closed' });
    await soon();
    client.watches.pause();
    for (const call of next.calls) call.fail(new ConnectionError('closed', 'The connection is closed'));
    await refused;
    await soon();
    expect(next.calls).toHaveLength(32);
    expect([client.errors, client.news()]).toEqual([[], []]);
  });

  test('whose connection is closed rejects once, also before anybody says that it ended', async () => {
    const { server, client } = await begin();
    for (const uri of ['x:/a', 'x:/b']) await watch(client, server, uri, uri);
    const next = new ScriptedConversation('stateful');
    const refused = expect(client.watches.begin(next)).rejects.toMatchObject({ code: 'closed' });
    await soon();
    for (const call of next.calls) call.fail(new ConnectionError('closed', 'The connection is closed'));
    await refused;
    expect([client.errors, client.news()]).toEqual([[], []]);
  });

  test('that ended is not taken for established by what it still answers', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'a', 'x:/a');
    const next = new ScriptedConversation('stateful');
    const refused = expect(client.watches.begin(next)).rejects.toMatchObject({ code: 'closed' });
    await soon();
    client.watches.pause();
    next.calls[0]?.answer();
    await refused;
    expect(client.news()).toEqual([]);
  });

  test('knows nothing of who stopped in between', async () => {
    const { server, client } = await begin();
    const stop = await watch(client, server, 'a', 'x:/a');
    client.watches.pause();
    await stop();
    expect(server.calls).toHaveLength(1);
    const next = new ScriptedConversation('stateful');
    await client.watches.begin(next);
    expect([next.calls, client.news()]).toEqual([[], []]);
  });

  test('unsubscribes whoever gave up while the last one ended', async () => {
    const { server, client } = await begin();
    const adding = client.add('x:/a');
    await soon();
    const next = new ScriptedConversation('stateful');
    const beginning = client.watches.begin(next);
    await soon();
    server.calls[0]?.fail(new ConnectionError('closed', 'The connection is closed'));
    await expect(adding).rejects.toMatchObject({ code: 'closed' });
    next.calls[0]?.answer();
    await beginning;
    await soon();
    expect(next.requested).toEqual(['resources/subscribe x:/a', 'resources/unsubscribe x:/a']);
    next.calls[1]?.answer();
    expect(client.news()).toEqual([]);
  });
});

test('a subscription that ends with its session is no failure', async () => {
  const { server, client } = await begin();
  const stop = await watch(client, server, 'x:/a', 'x:/a');
  const stopping = stop();
  await soon();
  client.watches.pause();
  server.calls[1]?.fail(new ConnectionError('closed', 'The connection is closed'));
  await stopping;
  expect(client.errors).toEqual([]);
});
