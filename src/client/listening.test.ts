import { ConnectionError, RpcError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { notice, outcomeOf, ScriptedConversation, soon, Watched } from '../../test/scripted-conversation.ts';

const LIST_CHANGED = 'notifications/tools/list_changed';
const UPDATED = 'notifications/resources/updated';

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

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a listen', () => {
  test('asks for what is watched; the watch stands when the server acknowledges it', async () => {
    const { server, client } = await begin();
    expect(server.listens).toEqual([]);
    const adding = client.add('tools');
    expect(await outcomeOf(adding)).toBe('pending');
    expect(server.last).toMatchObject({ method: 'subscriptions/listen', filter: { toolsListChanged: true } });
    server.last.acknowledge();
    await adding;
    server.last.say(LIST_CHANGED);
    expect(client.news()).toEqual([['tools', { type: 'tools' }]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is one for everything that is watched, let go or both within one tick', async () => {
    const { server, client } = await begin();
    const [stopTools, , , stopA, stopAgain] = await watch(
      client,
      server,
      'tools',
      'prompts',
      'resources',
      'x:/a',
      'x:/a',
    );
    expect(server.listens.map((listen) => listen.filter)).toEqual([
      {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['x:/a'],
      },
    ]);
    void stopTools?.();
    void stopA?.();
    void stopAgain?.();
    const adding = client.add('x:/b');
    await soon();
    expect(server.listens.map((listen) => listen.filter).slice(1)).toEqual([
      { promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['x:/b'] },
    ]);
    server.last.acknowledge();
    await adding;
    expect(server.openListens).toEqual([server.last]);
  });

  test('is not sent for what is watched already, nor when in the end nothing is different', async () => {
    const { server, client } = await begin();
    const [stop] = await watch(client, server, 'tools');
    await client.add('second', 'tools');
    void stop?.();
    await client.add('third', 'tools');
    await soon();
    expect(server.listens).toHaveLength(1);
    server.last.say(LIST_CHANGED);
    expect(client.news().map(([name]) => name)).toEqual(['second', 'third']);
  });

  test('takes the place of the last one when it is acknowledged, without a gap and without telling twice', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools');
    const old = server.last;
    const adding = client.add('prompts');
    await soon();
    expect(server.openListens).toEqual([old, server.last]);
    expect(server.last.filter).toEqual({ toolsListChanged: true, promptsListChanged: true });
    server.last.say(LIST_CHANGED);
    expect(client.news()).toEqual([]);
    old.say(LIST_CHANGED);
    expect(client.news()).toEqual([['tools', { type: 'tools' }]]);
    server.last.acknowledge();
    expect(old.signal.aborted).toBe(true);
    old.say(LIST_CHANGED);
    server.last.say(LIST_CHANGED);
    await adding;
    expect(client.news()).toEqual([['tools', { type: 'tools' }]]);
    expect(client.changes).toEqual([{ type: 'tools' }, { type: 'tools' }]);
    expect(server.openListens).toEqual([server.last]);
    expect([client.errors, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('that is on its way is waited for before the next is sent', async () => {
    const { server, client } = await begin();
    const first = client.add('tools');
    await soon();
    const joined = client.add('tools too', 'tools');
    const later = client.add('prompts');
    await soon();
    expect(server.listens).toHaveLength(1);
    server.last.acknowledge();
    expect(await outcomeOf(first)).toBe('resolved');
    expect(await outcomeOf(joined)).toBe('resolved');
    expect(await outcomeOf(later)).toBe('pending');
    expect(server.listens.map((listen) => listen.filter)).toEqual([
      { toolsListChanged: true },
      { toolsListChanged: true, promptsListChanged: true },
    ]);
    server.last.acknowledge();
    await later;
    expect(server.openListens).toHaveLength(1);
  });

  test('without something does not count for who watches it again meanwhile', async () => {
    const { server, client } = await begin();
    const [, stop] = await watch(client, server, 'tools', 'prompts');
    await stop?.();
    const again = client.add('again', 'prompts');
    await soon();
    expect(server.last.filter).toEqual({ toolsListChanged: true });
    server.last.acknowledge();
    expect(await outcomeOf(again)).toBe('pending');
    expect(server.last.filter).toEqual({ toolsListChanged: true, promptsListChanged: true });
    server.last.acknowledge();
    await again;
    expect(client.news()).toEqual([]);
  });

  test('is cancelled when nothing is watched any more, and none is open', async () => {
    const { server, client } = await begin();
    const [stopTools, stopPrompts] = await watch(client, server, 'tools', 'prompts');
    await stopTools?.();
    expect(server.openListens).toHaveLength(2);
    await stopPrompts?.();
    expect(server.openListens).toEqual([]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.listens).toHaveLength(2);
    expect([client.errors, vi.getTimerCount()]).toEqual([[], 0]);
    await watch(client, server, 'tools');
    expect(server.openListens).toHaveLength(1);
  });

  test('asks for ten thousand resources at once, and lets them go at once', async () => {
    const { server, client } = await begin();
    const uris = Array.from({ length: 10_000 }, (_, n) => `x:/${n}`);
    const stops = await watch(client, server, ...uris);
    expect(server.listens.map((listen) => listen.filter)).toEqual([{ resourceSubscriptions: uris }]);
    server.last.say(UPDATED, { uri: 'x:/7/part' });
    expect(client.news()).toEqual([['x:/7', { type: 'resource', uri: 'x:/7/part' }]]);
    await Promise.all(stops.slice(1).map((stop) => stop()));
    expect(server.last.filter).toEqual({ resourceSubscriptions: ['x:/0'] });
    expect(server.listens).toHaveLength(2);
  });
});

describe('what the server does not honour', () => {
  test.each([
    ['tools', 'The server does not tell changes of its tools (capability tools.listChanged)'],
    ['prompts', 'The server does not tell changes of its prompts (capability prompts.listChanged)'],
    ['resources', 'The server does not tell changes of its resources (capability resources.listChanged)'],
    ['x:/a', 'The server does not tell changes of x:/a (capability resources.subscribe)'],
  ])('is named, and a listen that tells of nothing is neither kept nor tried again: %s', async (what, message) => {
    const nothing = [{}, null, 'all', { toolsListChanged: 'yes', resourceSubscriptions: 'x:/a' }, { [what]: true }];
    for (const notifications of nothing) {
      const { server, client } = await begin();
      const adding = client.add(what);
      const refused = expect(adding).rejects.toEqual(new ConnectionError('failed', message));
      await soon();
      server.last.acknowledge(notifications);
      server.last.end();
      await refused;
      await vi.advanceTimersByTimeAsync(120_000);
      expect(server.listens).toHaveLength(1);
      expect([server.openListens, client.errors, vi.getTimerCount()]).toEqual([[], [], 0]);
    }
  });

  test('is refused alone: the others live on in the same listen', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools');
    const adding = [client.add('prompts'), client.add('x:/a'), client.add('x:/b')];
    await soon();
    server.last.acknowledge({ toolsListChanged: true, resourceSubscriptions: ['x:/b', 5] });
    const outcomes = await Promise.allSettled(adding);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await soon();
    expect(server.listens).toHaveLength(2);
    server.last.say(LIST_CHANGED);
    server.last.say(UPDATED, { uri: 'x:/a' });
    server.last.say(UPDATED, { uri: 'x:/b' });
    expect(client.news().map(([name]) => name)).toEqual(['tools', 'x:/b']);
    expect(client.errors).toEqual([]);
  });

  test('can be asked for again', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools');
    const refused = expect(client.add('prompts')).rejects.toThrow('prompts.listChanged');
    await soon();
    server.last.acknowledge({ toolsListChanged: true });
    await refused;
    await watch(client, server, 'prompts');
    expect(server.listens).toHaveLength(3);
  });

  test('though it did before is reported, once', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools', 'prompts');
    for (const uri of ['x:/a', 'x:/b']) {
      const adding = client.add(uri);
      await soon();
      server.last.acknowledge({ ...(server.last.filter as object), promptsListChanged: false });
      await adding;
    }
    expect(client.errors.map((error) => error.message)).toEqual([
      'The server does not tell changes of its prompts (capability prompts.listChanged)',
    ]);
    const adding = client.add('x:/c');
    await soon();
    server.last.acknowledge();
    await adding;
    expect(client.news()).toEqual([['prompts', { type: 'prompts', resync: true }]]);
  });
});

describe('a listen that fails', () => {
  test('rejects those who wait with what the server answered, and is not repeated', async () => {
    const { server, client } = await begin();
    const adding = [client.add('tools'), client.add('prompts')];
    await soon();
    server.last.fail(RpcError.methodNotFound('subscriptions/listen'));
    const reason = RpcError.methodNotFound('subscriptions/listen');
    expect(await Promise.allSettled(adding)).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.listens).toHaveLength(1);
    expect([client.errors, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('leaves the one it was to replace in place', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools');
    const old = server.last;
    const adding = client.add('x:/a');
    await soon();
    server.last.fail(RpcError.invalidParams('Too many'));
    await expect(adding).rejects.toEqual(RpcError.invalidParams('Too many'));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.openListens).toEqual([old]);
    expect(server.listens).toHaveLength(2);
    old.say(LIST_CHANGED);
    expect(client.news()).toEqual([['tools', { type: 'tools' }]]);
    await watch(client, server, 'x:/b');
    expect(server.last.filter).toEqual({ toolsListChanged: true, resourceSubscriptions: ['x:/b'] });
  });

  test('and was to ask for less is no harm: the one that asks for more stays', async () => {
    const { server, client } = await begin();
    const [, stop] = await watch(client, server, 'tools', 'prompts');
    const old = server.last;
    await stop?.();
    server.last.fail(RpcError.internal('Too many listens'));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.openListens).toEqual([old]);
    expect(server.listens).toHaveLength(2);
    old.say('notifications/prompts/list_changed');
    expect([client.news(), client.errors]).toEqual([[], []]);
  });

  test('is followed by the one for those who came meanwhile', async () => {
    const { server, client } = await begin();
    const first = client.add('x:/bad');
    await soon();
    const second = client.add('tools');
    server.last.fail(RpcError.invalidParams('Bad'));
    await expect(first).rejects.toThrow('Bad');
    await soon();
    expect(server.listens.map((listen) => listen.filter).slice(1)).toEqual([{ toolsListChanged: true }]);
    server.last.acknowledge();
    await second;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('by silence is cancelled after 30 s', async () => {
    const { server, client } = await begin();
    await watch(client, server, 'tools');
    const old = server.last;
    const adding = client.add('prompts');
    const refused = expect(adding).rejects.toEqual(
      new ConnectionError(
        'timeout',
        'subscriptions/listen timed out: the server did not acknowledge it within 30000 ms',
      ),
    );
    await vi.advanceTimersByTimeAsync(29_999);
    expect(server.openListens).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    await refused;
    expect(server.openListens).toEqual([old]);
    server.last.acknowledge();
    old.say(LIST_CHANGED);
    expect(client.news()).toEqual([['tools', { type: 'tools' }]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('by an end without an acknowledgement says so', async () => {
    const { server, client } = await begin();
    const adding = [client.add('tools'), client.add('x:/a')];
    await soon();
    server.last.end();
    for (const { status, reason } of (await Promise.allSettled(adding)) as PromiseRejectedResult[]) {
      expect([status, reason]).toEqual([
        'rejected',
        new ConnectionError('failed', 'The server ended subscriptions/listen'),
      ]);
    }
    await soon();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('in the sending itself is no different', async () => {
    const { server, client } = await begin();
    server.open = () => {
      throw new ConnectionError('closed', 'The connection is closed');
    };
    await expect(client.add('tools')).rejects.toMatchObject({ code: 'closed' });
    await soon();
    expect([client.errors, vi.getTimerCount()]).toEqual([[], 0]);
  });
});

test('what belongs to no listen is not taken', async () => {
  const { server, client } = await begin();
  await watch(client, server, 'tools');
  const others = [
    notice(LIST_CHANGED),
    notice(LIST_CHANGED, { _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } }),
    notice('notifications/message', { level: 'info' }),
  ];
  expect(others.map((one) => client.watches.take(one))).toEqual([false, false, false]);
  expect([client.news(), client.changes]).toEqual([[], []]);
});

test('of two listens that tell of the same change, one is taken', async () => {
  const { server, client } = await begin();
  await watch(client, server, 'tools');
  const old = server.last;
  const adding = client.add('prompts');
  await soon();
  expect([old.say(LIST_CHANGED), server.last.say(LIST_CHANGED)]).toEqual([true, false]);
  expect(server.last.acknowledge()).toBe(true);
  await adding;
  expect([old.say(LIST_CHANGED), server.last.say(LIST_CHANGED)]).toEqual([false, true]);
  expect(client.changes).toHaveLength(2);
  client.watches.pause();
  expect([old.say(LIST_CHANGED), server.last.say(LIST_CHANGED)]).toEqual([false, false]);
});

test('what is malformed is not heard', async () => {
  const { server, client } = await begin();
  await watch(client, server, 'tools', 'x:/a');
  for (const uri of [undefined, 5, null, ['x:/a']]) expect(server.last.say(UPDATED, { uri })).toBe(false);
  expect(server.last.say('notifications/nonsense')).toBe(false);
  expect(server.last.acknowledge({})).toBe(false);
  expect([client.news(), client.changes, client.errors]).toEqual([[], [], []]);
});
