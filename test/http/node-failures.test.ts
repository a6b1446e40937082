/** Sessions of nodes whose stores fail or are slow, and requests that meet on two nodes. */

import { serveHttp } from 'mcpp/http';
import type { ServerEvent } from 'mcpp/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ChangeBus, memoryChangeBus } from '../../src/store/change-bus.ts';
import { memoryEventStore } from '../../src/store/event-store.ts';
import { memorySessionBus, type SessionBus, type SessionListener } from '../../src/store/session-bus.ts';
import type { SessionMessage } from '../../src/transport/http/server/options.ts';
import { messagesOf, nextMessage } from './events.ts';
import { type Answer, FACES, node, openSession, post, web } from './faces.ts';
import { call, type Headers, initialize } from './messages.ts';
import { kill, listenAt, type Node, request, type SharedStores, settled, startNode, stores } from './shared-stores.ts';
import { makeStage } from './stage.ts';

let shared: SharedStores;
let changes: ChangeBus<ServerEvent>;
let first: Node;
let second: Node;
let session: Headers;

beforeEach(async () => {
  shared = stores();
  changes = memoryChangeBus<ServerEvent>();
  [first, second] = [await startNode(shared, {}, changes), await startNode(shared, {}, changes)];
  session = await openSession(first.reached);
});

afterEach(async () => {
  await Promise.all([first.reached.close(), second.reached.close()]);
  expect([first.stage.errors, second.stage.errors]).toEqual([[], []]);
});

function listen(to: Node, last?: string, headers: Headers = session): Promise<Answer> {
  return listenAt(to, headers, last).answer;
}

/** Holds back the results of a method of a node's stores until the returned function is called. */
function hold({ network }: Node, method: string): () => void {
  let release = (): void => {};
  network.held.set(method, new Promise<void>((resolve) => (release = resolve)));
  return () => {
    network.held.delete(method);
    release();
  };
}

/** A bus of changes, and a function that says that changes may have been missed. */
function forgetful(): { readonly bus: ChangeBus<ServerEvent>; resync(): void } {
  const bus = memoryChangeBus<ServerEvent>();
  const { subscribe } = bus;
  let resync = (): void => {};
  bus.subscribe = (listener) => {
    resync = () => listener({ type: 'resync' });
    return subscribe(listener);
  };
  return { bus, resync: () => resync() };
}

/** The last id of a stream, without waiting for more than its first event. */
async function firstId(stream: Answer): Promise<string> {
  for (let event = await stream.next(); event; event = await stream.next()) if (event.id) return event.id;
  throw new Error('The stream ended without an id');
}

describe('after changes may have been missed', () => {
  test('a client is notified of its own subscriptions only, which are read once', async () => {
    const { bus, resync } = forgetful();
    const alone = await startNode(shared, {}, bus, { resources: ['x:/a', 'x:/a/b', 'x:/c'] });
    const sessions = [await openSession(alone.reached), await openSession(alone.reached)] as const;
    const uris = [['x:/a', 'x:/c'], ['x:/a/b']] as const;
    for (const [index, own] of sessions.entries()) {
      for (const uri of uris[index] ?? []) {
        await post(alone.reached, request(1, 'resources/subscribe', { uri }), own);
      }
    }
    const streams = [await listen(alone, undefined, sessions[0]), await listen(alone, undefined, sessions[1])];
    alone.network.calls.length = 0;
    resync();
    await settled();
    expect(alone.network.calls.filter((name) => name === 'subscriptions')).toHaveLength(2);
    await alone.reached.close();
    const told = await Promise.all(streams.map((stream) => messagesOf(stream)));
    const updated = told.map((messages) =>
      (messages as { params?: { uri?: string } }[]).flatMap(({ params }) => params?.uri ?? []),
    );
    expect(updated).toEqual(uris);
  });

  test('a client whose subscriptions cannot be read does not keep others from being notified', async () => {
    const { bus, resync } = forgetful();
    const own = stores();
    const read = own.store.subscriptions.bind(own.store);
    const broken = new Set<string>();
    own.store.subscriptions = (id) => {
      if (broken.has(id)) throw new Error('no connection');
      return read(id);
    };
    const alone = await startNode(own, {}, bus);
    const [failing, other] = [await openSession(alone.reached), await openSession(alone.reached)];
    await post(alone.reached, request(1, 'resources/subscribe', { uri: 'x:/b' }), other);
    const streams = [await listen(alone, undefined, failing), await listen(alone, undefined, other)];
    broken.add(failing['mcp-session-id'] ?? '');
    resync();
    await settled();
    await alone.reached.close();
    const told = await Promise.all(streams.map((stream) => messagesOf(stream)));
    expect(told[1]).toContainEqual(expect.objectContaining({ params: { uri: 'x:/b' } }));
    expect(told[0]).toHaveLength(2);
    expect(alone.stage.errors.map(String)).toEqual([expect.stringContaining('no connection')]);
  });
});

describe('a session that cannot be saved', () => {
  const subscribe = (id: number): object => request(id, 'resources/subscribe', { uri: 'x:/a' });
  const reported = (to: Node): string[] => to.stage.errors.splice(0).map(String);

  test('gives an error on the stream of its request if that is open', async () => {
    const slow = await startNode(shared, { keepAliveMs: 40 });
    slow.network.failing.add('update');
    const release = hold(slow, 'update');
    const answer = await post(slow.reached, subscribe(1), session);
    release();
    expect(answer.header('content-type')).toBe('text/event-stream');
    expect(await messagesOf(answer)).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(reported(slow)).toEqual([expect.stringContaining('update failed')]);
    await slow.reached.close();
  });

  test.each([
    ['a request', '2025-11-25', subscribe(1)],
    ['a batch', '2025-03-26', [subscribe(1), request(2, 'ping')]],
  ])('gives an error and is in use no longer if the store throws: %s', async (_, version, message) => {
    const own = stores();
    const update = own.store.update.bind(own.store);
    const alone = makeStage();
    alone.server.registerResource('x:/a', {}, () => '');
    const touched: string[] = [];
    const touch = own.store.touch.bind(own.store);
    own.store.touch = (ids) => {
      touched.push(...ids);
      return touch(ids);
    };
    const reached = await node.open(alone.server, { keepAliveMs: 20, sessions: own });
    const headers = await openSession(reached, { version });
    own.store.update = () => {
      throw new Error('disk full');
    };
    const answer = await post(reached, message, headers);
    if (Array.isArray(message)) {
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject([
        { id: 1, error: { code: -32603 } },
        { id: 2, result: {} },
      ]);
    } else {
      expect([answer.status, answer.header('retry-after')]).toEqual([503, '1']);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(touched).toEqual([]);
    expect(alone.errors.map(String)).toEqual([expect.stringContaining('disk full')]);
    own.store.update = update;
    await reached.close();
  });
});

describe('the GET stream of a session', () => {
  const hasChanged = { method: 'notifications/tools/list_changed' };

  /** A client that hangs up while the store cannot be told. */
  async function hangUpUnnoticed(to: Node): Promise<void> {
    const stream = await listen(to, undefined, session);
    to.network.failing.add('update');
    stream.hangUp();
    await vi.waitFor(() => expect(to.stage.errors).toHaveLength(1));
    to.network.failing.clear();
    to.stage.errors.length = 0;
  }

  test('opens again on the same node although the store missed that nobody reads it', async () => {
    await hangUpUnnoticed(first);
    const again = await listen(first);
    expect(again.status).toBe(200);
    again.hangUp();
  });

  test('opens on another node once its own has told the store that nobody reads it', async () => {
    await hangUpUnnoticed(first);
    expect((await listen(second)).status).toBe(409);
    await settled();
    const again = await listen(second);
    expect(again.status).toBe(200);
    again.hangUp();
  });

  test.each(['first', 'second'])('brings a change that happens while it is taken over by the %s node', async (name) => {
    const to = name === 'first' ? first : second;
    const before = await listen(first);
    const id = await firstId(before);
    before.hangUp();
    await settled();
    await changes.publish({ type: 'tools' });
    await settled();
    const release = hold(to, 'takeStream');
    const asked = listen(to, id);
    await vi.waitFor(() => expect(to.network.calls.at(-1)).toBe('takeStream'));
    await changes.publish({ type: 'tools' });
    await settled();
    release();
    const again = await asked;
    expect([await nextMessage(again), await nextMessage(again)]).toMatchObject([hasChanged, hasChanged]);
    again.hangUp();
    await settled();
  });

  test('stays open once if it is opened on two nodes at the same time', async () => {
    const auth = (): { subject: string } => ({ subject: 'ada' });
    const nodes = [await startNode(shared, { auth }, changes), await startNode(shared, { auth }, changes)] as const;
    const own = await openSession(nodes[0].reached);
    const release = hold(nodes[0], 'takeStream');
    const early = listen(nodes[0], undefined, own);
    await vi.waitFor(() => expect(nodes[0].network.calls.at(-1)).toBe('takeStream'));
    await settled();
    const late = await listen(nodes[1], undefined, own);
    await settled();
    release();
    expect((await early).status).toBe(409);
    await changes.publish({ type: 'tools' });
    expect(await nextMessage(late)).toMatchObject(hasChanged);
    for (const { reached } of nodes) await reached.close();
  });

  test('goes to one of two nodes that find at the same time that its node is gone', async () => {
    const third = await startNode(shared, {}, changes);
    const lost = await listen(first);
    kill(first);
    const streams = await Promise.all([listen(second), listen(third)]);
    expect(streams.map(({ status }) => status).sort()).toEqual([200, 409]);
    for (const stream of [lost, ...streams]) stream.hangUp();
    await settled();
    await third.reached.close();
  });

  test.each(['takeStream', 'follow'])('is refused if the node closes while it waits for %s', async (method) => {
    const alone = await startNode(shared, {}, changes, { face: web });
    const asked = post(alone.reached, call(1, 'wait'), session);
    const begun = await alone.stage.begun();
    begun.ctx.reportProgress(1);
    const id = await firstId(await asked);
    await settled();
    const release = hold(alone, method);
    const stream = listen(alone, method === 'follow' ? id : undefined);
    await vi.waitFor(() => expect(alone.network.calls.at(-1)).toBe(method));
    const closed = alone.reached.close({ graceMs: 5000 });
    release();
    expect((await stream).status).toBe(503);
    begun.end('done');
    await closed;
    const next = await listen(second);
    expect(next.status).toBe(200);
    next.hangUp();
  });

  test('reads the session until the client has sent `notifications/initialized`, and then no more', async () => {
    const opened = await post(first.reached, initialize());
    const own = { 'mcp-session-id': opened.header('mcp-session-id') ?? '' };
    const stream = await listen(first, undefined, own);
    await post(second.reached, { jsonrpc: '2.0', method: 'notifications/initialized' }, own);
    const reads = async (): Promise<number> => {
      first.network.calls.length = 0;
      await changes.publish({ type: 'tools' });
      expect(await nextMessage(stream)).toMatchObject(hasChanged);
      return first.network.calls.filter((name) => name === 'get').length;
    };
    expect([await reads(), await reads()]).toEqual([1, 0]);
    stream.hangUp();
  });
});

test('a stream whose node is gone, and whose requests are not known any more, cannot be resumed', async () => {
  const own = { ...stores(), events: memoryEventStore({ maxSessionBytes: 600 }) };
  const [here, there] = [await startNode(own), await startNode(own)];
  const headers = await openSession(here.reached);
  const asked = post(here.reached, call(1, 'wait'), headers);
  const begun = await here.stage.begun();
  for (const progress of [1, 2, 3, 4]) begun.ctx.reportProgress(progress);
  const answer = await asked;
  const id = await firstId(answer);
  await settled();
  kill(here);
  expect((await listen(there, id, headers)).status).toBe(400);
  answer.hangUp();
  for (const { reached } of [here, there]) await reached.close();
});

describe('stores that cannot be opened', () => {
  /** A bus that fails to open so many times, and the number of nodes that listen to it. */
  function failingBus(times: number): { readonly bus: SessionBus<SessionMessage>; listeners: number } {
    const bus = memorySessionBus<SessionMessage>();
    let failures = 0;
    const made = {
      listeners: 0,
      bus: {
        ...bus,
        ready: async (): Promise<void> => {
          if (failures++ < times) throw new Error('no connection');
        },
        listen: (id: string, listener: SessionListener<SessionMessage>): (() => void) => {
          made.listeners++;
          const stop = bus.listen(id, listener) as () => void;
          return () => {
            made.listeners--;
            stop();
          };
        },
      },
    };
    return made;
  }

  test.each(FACES)('are opened again with the next request: $name', async ({ open }) => {
    const { bus } = failingBus(2);
    const stage = makeStage();
    const reached = await open(stage.server, { sessions: { bus } });
    await settled();
    const answers = [await post(reached, initialize()), await post(reached, initialize())];
    expect(answers.map(({ status }) => status)).toEqual([503, 200]);
    expect(stage.errors.splice(0).map(String)).toEqual([expect.stringContaining('no connection')]);
    await reached.close();
  });

  test('leave no subscription to the bus when serveHttp rejects', async () => {
    const made = failingBus(1);
    const { server } = makeStage();
    await expect(serveHttp(server, { port: 0, sessions: { bus: made.bus } })).rejects.toThrow('no connection');
    expect(made.listeners).toBe(0);
    const { port, close } = await serveHttp(server, { port: 0, sessions: { bus: made.bus } });
    expect(made.listeners).toBe(1);
    await expect(serveHttp(server, { port, sessions: { bus: made.bus } })).rejects.toThrow('is taken');
    expect(made.listeners).toBe(1);
    await close();
    expect(made.listeners).toBe(0);
  });
});
