/** Sessions of nodes whose stores fail or are slow, and requests that meet on two nodes. */

import { serveHttp } from 'mcpp/http';
import type { ServerEvent } from 'mcpp/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ChangeBus, memoryChangeBus } from '../../src/store/change-bus.ts';
import { memorySessionBus } from '../../src/store/session-bus.ts';
import type { SessionMessage } from '../../src/transport/http/server/options.ts';
import { messagesOf, nextMessage } from './events.ts';
import { type Answer, FACES, openSession, post } from './faces.ts';
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
    const alone = await startNode(shared, {}, bus, ['x:/a', 'x:/a/b', 'x:/c']);
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
    const reached = await FACES[0]?.open(alone.server, { keepAliveMs: 20, sessions: own });
    if (!reached) throw new Error('There is no face');
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
