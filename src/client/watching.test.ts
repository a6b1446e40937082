import { ConnectionError } from 'mcpp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { notice, ScriptedConversation, Watched } from '../../test/scripted-conversation.ts';
import { quiet, unhandledDuring } from '../../test/wire.ts';
import { Watches } from './watching.ts';

const TOOLS = notice('notifications/tools/list_changed');
const PROMPTS = notice('notifications/prompts/list_changed');

async function begin(): Promise<Watched> {
  const client = new Watched();
  await client.watches.begin(new ScriptedConversation('stateful'));
  return client;
}

describe('a change', () => {
  test('is told to the owner first, once, whether or not anybody watches, and then to each listener', async () => {
    const order: string[] = [];
    const watches = new Watches({ onError: () => {}, onChange: ({ type }) => order.push(`owner ${type}`) });
    await watches.begin(new ScriptedConversation('stateful'));
    await watches.add('tools', () => order.push('first'));
    await watches.add('tools', () => order.push('second'));
    expect([watches.take(TOOLS), watches.take(PROMPTS)]).toEqual([true, true]);
    expect(order).toEqual(['owner tools', 'first', 'second', 'owner prompts']);
  });

  test('that comes three times is told three times', async () => {
    const client = await begin();
    await client.add('tools');
    for (let n = 0; n < 3; n++) client.watches.take(TOOLS);
    expect(client.news()).toHaveLength(3);
  });

  test('that comes while another is told waits until everybody has heard that one', async () => {
    const client = await begin();
    let more = true;
    await client.watches.add('tools', () => {
      if (more) client.watches.take(PROMPTS);
      more = false;
    });
    await client.add('tools');
    await client.add('prompts');
    client.watches.take(TOOLS);
    client.watches.take(TOOLS);
    expect(client.news().map(([name]) => name)).toEqual(['tools', 'prompts', 'tools']);
    expect(client.changes.map(({ type }) => type)).toEqual(['tools', 'prompts', 'tools']);
  });

  test('is no business of watching if it is something else', async () => {
    const client = await begin();
    const others = ['notifications/roots/list_changed', 'notifications/progress', 'constructor'];
    expect(others.map((method) => client.watches.take(notice(method)))).toEqual([false, false, false]);
    expect(client.changes).toEqual([]);
  });
});

describe('a flood of changes', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('makes the owner forget what it kept each time, but the listeners ask the server a few times only', async () => {
    const client = await begin();
    let requests = 0;
    await client.watches.add('tools', async () => {
      requests++;
    });
    for (let n = 0; n < 20_000; n++) client.watches.take(TOOLS);
    expect([requests, client.changes.length]).toEqual([10, 20_000]);
    await vi.advanceTimersByTimeAsync(250);
    expect(requests).toBe(11);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that nobody watches holds nothing up', async () => {
    const client = await begin();
    await client.add('prompts');
    for (let n = 0; n < 20_000; n++) client.watches.take(TOOLS);
    client.watches.take(PROMPTS);
    expect(client.news()).toEqual([['prompts', { type: 'prompts' }]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is over for who has stopped', async () => {
    const client = await begin();
    const stop = await client.add('tools');
    for (let n = 0; n < 11; n++) client.watches.take(TOOLS);
    expect(client.news()).toHaveLength(10);
    await stop();
    await vi.advanceTimersByTimeAsync(250);
    expect(client.news()).toEqual([]);
  });

  test('is over with its conversation; the next one tells to read again, at once', async () => {
    const client = await begin();
    await client.add('tools');
    for (let n = 0; n < 11; n++) client.watches.take(TOOLS);
    client.watches.pause();
    expect(vi.getTimerCount()).toBe(0);
    client.news();
    await client.watches.begin(new ScriptedConversation('stateful'));
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
  });

  test('leaves no timer behind when the connection is closed', async () => {
    const client = await begin();
    await client.add('tools');
    for (let n = 0; n < 11; n++) client.watches.take(TOOLS);
    expect(vi.getTimerCount()).toBe(1);
    client.watches.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a listener', () => {
  test('that fails is reported and harms nobody else', async () => {
    const client = await begin();
    const failures: (() => unknown)[] = [
      () => {
        throw new Error('thrown');
      },
      () => {
        throw 'a word';
      },
      async () => {
        throw new Error('rejected');
      },
    ];
    for (const fail of failures) await client.watches.add('tools', fail);
    await client.add('tools');
    const unhandled = await unhandledDuring(async () => {
      client.watches.take(TOOLS);
    });
    expect(client.news()).toHaveLength(1);
    expect(client.errors.map((error) => error.message)).toEqual(['thrown', 'A listener failed', 'rejected']);
    expect(client.errors[1]?.cause).toBe('a word');
    expect(unhandled).toEqual([]);
  });

  test('hears on when its owner fails at everything', async () => {
    const heard: string[] = [];
    const fail = (): never => {
      throw new Error('no');
    };
    const watches = new Watches({ onError: fail, onChange: fail });
    await watches.begin(new ScriptedConversation('stateful'));
    await watches.add('tools', fail);
    await watches.add('tools', ({ type }) => heard.push(type));
    watches.take(TOOLS);
    watches.take(TOOLS);
    expect(heard).toEqual(['tools', 'tools']);
  });

  test('that has stopped hears nothing, also not what was on its way', async () => {
    const client = await begin();
    let stop: (() => Promise<void>) | undefined;
    await client.watches.add('tools', () => void stop?.());
    stop = await client.add('stopped', 'tools');
    await client.add('tools');
    client.watches.take(TOOLS);
    expect(client.news().map(([name]) => name)).toEqual(['tools']);
  });

  test('that is added by another hears of the next change', async () => {
    const client = await begin();
    let added = false;
    await client.watches.add('tools', () => {
      if (!added) void client.add('new', 'tools');
      added = true;
    });
    client.watches.take(TOOLS);
    await quiet();
    expect(client.news()).toEqual([]);
    client.watches.take(TOOLS);
    expect(client.news()).toEqual([['new', { type: 'tools' }]]);
  });

  test('may be added twice, and each stops for itself, as often as it likes', async () => {
    const client = await begin();
    let heard = 0;
    const listener = (): void => {
      heard++;
    };
    const stop = await client.watches.add('tools', listener);
    await client.watches.add('tools', listener);
    client.watches.take(TOOLS);
    await Promise.all([stop(), stop()]);
    await stop();
    client.watches.take(TOOLS);
    expect(heard).toBe(3);
  });

  test('stays while there is no conversation, and hears nothing of the last', async () => {
    const client = await begin();
    await client.add('tools');
    client.watches.pause();
    expect(client.watches.take(TOOLS)).toBe(false);
    expect(client.news()).toEqual([]);
    await client.watches.begin(new ScriptedConversation('stateful'));
    expect(client.news()).toEqual([['tools', { type: 'tools', resync: true }]]);
  });
});

describe('nothing can be watched', () => {
  test('that is neither a list nor a URI', async () => {
    const client = await begin();
    for (const what of ['tool', '', 'Tools', '/a', 'constructor']) {
      await expect(client.add(what)).rejects.toEqual(
        new TypeError('What is watched must be "tools", "prompts", "resources" or the URI of a resource'),
      );
    }
  });

  test('without a conversation', async () => {
    const client = new Watched();
    await expect(client.add('tools')).rejects.toMatchObject({ code: 'not-connected' });
    await client.watches.begin(new ScriptedConversation('stateful'));
    await client.add('tools');
    client.watches.pause();
    await expect(client.add('tools')).rejects.toMatchObject({ code: 'not-connected' });
  });

  test('after the end; stopping is then without effect', async () => {
    const client = await begin();
    const server = new ScriptedConversation('stateful');
    await client.watches.begin(server);
    const stop = await client.add('tools');
    const adding = client.add('x:/a');
    await quiet();
    client.watches.close();
    server.calls[0]?.answer();
    await expect(adding).rejects.toMatchObject({ code: 'closed' });
    client.watches.take(TOOLS);
    await stop();
    await quiet();
    expect(client.news()).toEqual([]);
    expect(server.requested).toEqual(['resources/subscribe x:/a']);
    const closed = new ConnectionError('closed', 'The connection is closed');
    await expect(client.add('tools')).rejects.toEqual(closed);
    await expect(client.watches.begin(server)).rejects.toEqual(closed);
    client.watches.close();
  });
});
