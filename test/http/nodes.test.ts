/**
 * A session on two nodes: its stores are shared, and each request may reach either of them. Nodes share no objects: everything
 * goes through JSON, and every store takes its time.
 */

import { type HttpOptions, serveHttp } from 'mcpp/http';
import type { ServerEvent } from 'mcpp/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryChangeBus } from '../../src/store/change-bus.ts';
import { messagesOf, nextMessage } from './events.ts';
import { type Answer, type Asked, openSession, post } from './faces.ts';
import { call, type Headers, initialize, notification, POST } from './messages.ts';
import { kill, listenAt, type Node, request, type SharedStores, settled, startNode, stores } from './shared-stores.ts';
import { makeStage } from './stage.ts';

let first: Node;
let second: Node;
let session: Headers;
let shared: SharedStores;

function start(options: HttpOptions = {}, changes = memoryChangeBus<ServerEvent>()): Promise<Node> {
  return startNode(shared, options, changes);
}

beforeEach(async () => {
  shared = stores();
  const changes = memoryChangeBus<ServerEvent>();
  [first, second] = [await start({}, changes), await start({}, changes)];
  session = await openSession(first.reached, { capabilities: { elicitation: {} } });
});

afterEach(async () => {
  await Promise.all([first.reached.close(), second.reached.close()]);
  expect([first.stage.errors, second.stage.errors]).toEqual([[], []]);
});

function listen(to: Node, last?: string, headers: Headers = session): Promise<Answer> {
  return listenAt(to, headers, last).answer;
}

function ask({ reached }: Node, message: unknown): Asked {
  return reached.ask({ headers: { ...POST, ...session }, body: JSON.stringify(message) });
}

describe('what reaches the other node', () => {
  test('the response to an input request', async () => {
    const stream = await ask(first, call(1, 'ask')).answer;
    const { id } = await nextMessage(stream);
    expect((await post(second.reached, { jsonrpc: '2.0', id, result: { action: 'decline' } }, session)).status).toBe(
      202,
    );
    expect(await messagesOf(stream)).toMatchObject([{ id: 1, result: { content: [{ text: 'decline' }] } }]);
  });

  test('a cancellation', async () => {
    const asked = ask(first, call(1, 'wait'));
    const begun = await first.stage.begun();
    await post(second.reached, notification('notifications/cancelled', { requestId: 1, reason: 'enough' }), session);
    expect(String(await begun.aborted)).toContain('enough');
    expect(await messagesOf(await asked.answer)).toEqual([]);
  });

  test('the end of the session', async () => {
    const stream = await listen(first);
    const asked = ask(first, call(1, 'wait'));
    const begun = await first.stage.begun();
    expect((await second.reached.send({ method: 'DELETE', headers: session })).status).toBe(204);
    await begun.aborted;
    expect([await messagesOf(stream), await messagesOf(await asked.answer)]).toEqual([[], []]);
    expect((await listen(first)).status).toBe(404);
  });

  test('subscriptions that are made on both nodes at the same time', async () => {
    const subscribe = (to: Node, uri: string): Promise<Answer> =>
      post(to.reached, request(1, 'resources/subscribe', { uri }), session);
    const answers = await Promise.all([subscribe(first, 'x:/a'), subscribe(second, 'x:/b')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const stream = await listen(second);
    for (const uri of ['x:/a', 'x:/b']) {
      first.stage.server.resourceUpdated(uri);
      expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/resources/updated', params: { uri } });
    }
    await post(first.reached, request(2, 'resources/unsubscribe', { uri: 'x:/a' }), session);
    for (const uri of ['x:/a', 'x:/b']) first.stage.server.resourceUpdated(uri);
    expect(await nextMessage(stream)).toMatchObject({ params: { uri: 'x:/b' } });
    stream.hangUp();
  });

  test('a log level', async () => {
    const stream = await listen(first);
    await post(second.reached, request(1, 'logging/setLevel', { level: 'error' }), session);
    first.stage.server.log('warning', 'below');
    first.stage.server.log('error', 'above');
    expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/message', params: { data: 'above' } });
    stream.hangUp();
  });
});

describe('a client that comes back to the other node', () => {
  test('is told the rest of a call, and its response', async () => {
    const asked = ask(first, call(1, 'wait'));
    const begun = await first.stage.begun();
    begun.ctx.reportProgress(1);
    const answer = await asked.answer;
    const primer = await answer.next();
    const again = await listen(second, primer?.id);
    begun.ctx.reportProgress(2);
    begun.end('done');
    expect(await messagesOf(again)).toMatchObject([
      { method: 'notifications/progress', params: { progress: 1 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { id: 1, result: { content: [{ text: 'done' }] } },
    ]);
  });

  test('ends the stream for changes it had, although that has said nothing yet', async () => {
    const before = await listen(first);
    const primer = await before.next();
    const again = await listen(second, primer?.id);
    expect(await messagesOf(before)).toEqual([]);
    second.stage.server.registerTool('new', {}, () => '');
    expect(await nextMessage(again)).toMatchObject({ method: 'notifications/tools/list_changed' });
    again.hangUp();
  });

  test('is told the changes it missed', async () => {
    const before = await listen(first);
    const primer = await before.next();
    before.hangUp();
    await settled();
    first.stage.server.registerTool('new', {}, () => '');
    await settled();
    const again = await listen(second, primer?.id);
    expect(await nextMessage(again)).toMatchObject({ method: 'notifications/tools/list_changed' });
    again.hangUp();
  });

  test('and then to a third is read there only', async () => {
    const third = await start();
    const asked = ask(first, call(1, 'wait'));
    const begun = await first.stage.begun();
    begun.ctx.reportProgress(1);
    const primer = await (await asked.answer).next();
    const again = await listen(second, primer?.id);
    const last = await listen(third, primer?.id);
    expect(await messagesOf(again)).toMatchObject([{ params: { progress: 1 } }]);
    begun.end('done');
    expect((await messagesOf(last)).at(-1)).toMatchObject({ id: 1 });
    await third.reached.close();
  });
});

describe('the GET stream of a session', () => {
  test('is refused on a second node while a client reads the first', async () => {
    const stream = await listen(first);
    expect((await listen(second)).status).toBe(409);
    stream.hangUp();
    await vi.waitFor(async () => {
      const next = await listen(second);
      expect(next.status).toBe(200);
      next.hangUp();
    });
  });

  test('moves to a second node for an authenticated client, and brings each change once', async () => {
    const auth = (): { subject: string } => ({ subject: 'ada' });
    const changes = memoryChangeBus<ServerEvent>();
    const [here, there] = [await start({ auth }, changes), await start({ auth }, changes)];
    const own = await openSession(here.reached);
    const before = await listen(here, undefined, own);
    const after = await listen(there, undefined, own);
    expect(await messagesOf(before)).toEqual([]);
    here.stage.server.registerTool('new', {}, () => '');
    expect(await nextMessage(after)).toMatchObject({ method: 'notifications/tools/list_changed' });
    after.hangUp();
    await Promise.all([here.reached.close(), there.reached.close()]);
  });

  test('opens on another node if the node of the first is gone', async () => {
    const stream = await listen(first);
    kill(first);
    const next = await listen(second);
    expect(next.status).toBe(200);
    for (const one of [stream, next]) one.hangUp();
  });

  test('needs nothing of the store for a change of a list, and one watcher for equal clients', async () => {
    const other = await openSession(second.reached, { capabilities: { elicitation: {} } });
    const streams = [await listen(first), await listen(first, undefined, other)];
    let looks = 0;
    const visible = (): boolean => {
      looks++;
      return true;
    };
    first.stage.server.registerResource('x:/counted', { visible }, () => '');
    for (const stream of streams) await nextMessage(stream);
    await settled();
    first.network.calls.length = 0;
    looks = 0;
    first.stage.server.registerTool('new', {}, () => '');
    for (const stream of streams) await nextMessage(stream);
    expect(first.network.calls.filter((name) => name !== 'append' && name !== 'touch')).toEqual([]);
    first.stage.server.resourceUpdated('x:/counted');
    await settled();
    expect(looks).toBe(1);
    for (const stream of streams) stream.hangUp();
  });
});

describe('a node that is gone', () => {
  test('gets no input response: the client is told that its call has ended', async () => {
    const stream = await ask(first, call(1, 'ask')).answer;
    const { id } = await nextMessage(stream);
    kill(first);
    const answer = await post(second.reached, { jsonrpc: '2.0', id, result: { action: 'decline' } }, session);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('is gone');
    expect((await post(second.reached, request(2, 'ping'), session)).status).toBe(200);
    stream.hangUp();
  });

  test('leaves streams that end with an error for each open request', async () => {
    const asked = ask(first, call('open', 'wait'));
    const begun = await first.stage.begun();
    begun.ctx.reportProgress(1);
    const answer = await asked.answer;
    const primer = await answer.next();
    await settled();
    kill(first);
    const again = await listen(second, primer?.id);
    expect(await messagesOf(again)).toMatchObject([
      { method: 'notifications/progress' },
      { id: 'open', error: { code: -32603, message: expect.stringContaining('is gone') } },
    ]);
    answer.hangUp();
  });
});

describe('a session costs the stores', () => {
  test('one read for a call, and neither subscriptions nor a subscription to the bus', async () => {
    first.network.calls.length = 0;
    await (await post(first.reached, call(1, 'echo', { text: 'x' }), session)).text();
    expect(first.network.calls).toEqual(['get']);
    const asked = ask(first, call(2, 'wait'));
    (await first.stage.begun()).end('done');
    await (await asked.answer).text();
    expect(first.network.calls).toEqual(['get', 'get']);
  });

  test('no more to read for its subscriptions', async () => {
    await post(first.reached, request(1, 'resources/subscribe', { uri: 'x:/a' }), session);
    const stored = await shared.store.get(session['mcp-session-id'] ?? '');
    expect(JSON.stringify(stored?.record)).not.toContain('x:/a');
  });

  test('one request for all sessions in which something goes on', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { reached, network, stage } = await start({ keepAliveMs: 1000 });
    const own = await openSession(reached);
    const other = await openSession(reached);
    const streams = [
      await listen({ reached, network, stage }, undefined, own),
      await listen({ reached, network, stage }, undefined, other),
    ];
    network.calls.length = 0;
    vi.advanceTimersByTime(1000);
    await settled();
    expect(network.calls.filter((name) => name === 'touch')).toEqual(['touch']);
    expect(network.calls).not.toContain('get');
    vi.useRealTimers();
    for (const stream of streams) stream.hangUp();
    await reached.close();
  });
});

describe('a store that rejects', () => {
  const cases: readonly (readonly [method: string, send: () => Promise<Answer>])[] = [
    ['create', () => post(second.reached, initialize())],
    ['get', () => post(second.reached, request(1, 'ping'), session)],
    ['update', () => post(second.reached, request(1, 'logging/setLevel', { level: 'error' }), session)],
    ['subscriptions', () => post(second.reached, request(1, 'resources/subscribe', { uri: 'x:/a' }), session)],
    ['takeStream', () => listen(second)],
    ['follow', () => listen(second, 'post-x-y.1')],
    ['broadcast', () => post(second.reached, notification('notifications/cancelled', { requestId: 7 }), session)],
    ['send', () => post(second.reached, { jsonrpc: '2.0', id: 'post-0a-x.1', result: {} }, session)],
    ['delete', () => second.reached.send({ method: 'DELETE', headers: session })],
  ];

  test.each(cases)('%s: gives 503 with Retry-After, and the session goes on', async (method, send) => {
    second.network.failing.add(method);
    const answer = await send();
    expect([answer.status, answer.header('retry-after')]).toEqual([503, '1']);
    expect(await answer.text()).not.toContain('redis');
    expect(second.stage.errors.splice(0).map(String)).toEqual([expect.stringContaining(`${method} failed`)]);
    second.network.failing.clear();
    expect((await post(second.reached, request(2, 'ping'), session)).status).toBe(200);
  });

  test('while it is opened keeps serveHttp from listening', async () => {
    const { store } = stores();
    const sessions = { store: Object.assign(store, { ready: () => Promise.reject(new Error('no connection')) }) };
    await expect(serveHttp(makeStage().server, { port: 0, sessions })).rejects.toThrow('no connection');
  });
});

test('a change that may have been missed is told as a change of everything', async () => {
  let resync = (): void => {};
  const changes = memoryChangeBus<ServerEvent>();
  const { subscribe } = changes;
  changes.subscribe = (listener) => {
    resync = () => listener({ type: 'resync' });
    return subscribe(listener);
  };
  const alone = await start({}, changes);
  const own = await openSession(alone.reached);
  await post(second.reached, request(1, 'resources/subscribe', { uri: 'x:/b' }), own);
  const stream = await listen(alone, undefined, own);
  await stream.next();
  resync();
  const told = [await nextMessage(stream), await nextMessage(stream), await nextMessage(stream)];
  expect(told).toMatchObject([
    { method: 'notifications/tools/list_changed' },
    { method: 'notifications/resources/list_changed' },
    { method: 'notifications/resources/updated', params: { uri: 'x:/b' } },
  ]);
  stream.hangUp();
  await alone.reached.close();
});
