/** Sessions: whose they are, who may speak in them, and how they end. */

import type { HttpOptions, SessionRecord } from 'mcpp/http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { messagesOf, nextMessage } from './events.ts';
import { type Answer, FACES, openSession, post, type Reached, web } from './faces.ts';
import { call, type Headers, initialize, notification, POST } from './messages.ts';
import { makeStage } from './stage.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const GET = { accept: 'text/event-stream' };

/** Whoever shows a token is who the token says. */
const byToken: HttpOptions['auth'] = (credentials) =>
  credentials ? { subject: credentials.token } : { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } };
const as = (name: string): Headers => ({ authorization: `Bearer ${name}` });

function listen(reached: Reached, session: Headers): Promise<Answer> {
  return reached.send({ method: 'GET', headers: { ...GET, ...session } });
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each(FACES)('through $name', ({ open }) => {
  test('an id is new each time, has at least 128 random bits, and can be seen', async () => {
    const reached = await open(makeStage().server);
    const ids = new Set<string>();
    for (let count = 0; count < 5; count++) ids.add((await openSession(reached))['mcp-session-id'] ?? '');
    expect(ids.size).toBe(5);
    // 32 of 64 letters are 192 bits.
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{32}$/);
    await reached.close();
  });

  test('an id that a client brings along is not taken over', async () => {
    const reached = await open(makeStage().server);
    const answer = await post(reached, initialize(), { 'mcp-session-id': 'mine' });
    expect(answer.status).toBe(200);
    expect(answer.header('mcp-session-id')).not.toBe('mine');
    expect((await post(reached, ping, { 'mcp-session-id': 'mine' })).status).toBe(404);
    await reached.close();
  });

  test('"initialize" in a session opens another and leaves the first alone', async () => {
    const reached = await open(makeStage().server);
    const first = await openSession(reached);
    const second = await openSession(reached, { headers: first });
    expect(second['mcp-session-id']).not.toBe(first['mcp-session-id']);
    expect((await post(reached, ping, first)).status).toBe(200);
    await reached.close();
  });

  test.each(['unknown', '__proto__', 'constructor', 'toString', 'x'.repeat(4096), '%00', '*', "' or 1=1"])(
    'the id "%s" that nobody was given gets 404 on POST, GET and DELETE',
    async (id) => {
      const reached = await open(makeStage().server);
      const session = { 'mcp-session-id': id };
      const answers = [
        await post(reached, ping, session),
        await listen(reached, session),
        await reached.send({ method: 'DELETE', headers: session }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(404);
        expect(await answer.text()).not.toContain(id.slice(0, 50));
      }
      await reached.close();
    },
  );

  test('without an id there is 400, saying what to do', async () => {
    const reached = await open(makeStage().server);
    const answer = await post(reached, ping);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      id: 1,
      error: { code: -32600, message: expect.stringContaining('send "initialize"') },
    });
    expect((await listen(reached, {})).status).toBe(400);
    expect((await reached.send({ method: 'DELETE' })).status).toBe(400);
    await reached.close();
  });

  test('a deleted session is gone, and its stream ends', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached);
    const stream = await listen(reached, session);
    const deleted = await reached.send({ method: 'DELETE', headers: session });
    expect(deleted.status).toBe(204);
    expect(await messagesOf(stream)).toEqual([]);
    expect((await post(reached, ping, session)).status).toBe(404);
    expect((await reached.send({ method: 'DELETE', headers: session })).status).toBe(404);
    await reached.close();
  });

  test('a stream that took the place of another ends with its session, too', async () => {
    const reached = await open(makeStage().server, { auth: byToken });
    const session = await openSession(reached, { headers: as('alice') });
    const first = await listen(reached, session);
    const second = await listen(reached, session);
    const third = await listen(reached, session);
    expect([await messagesOf(first), await messagesOf(second)]).toEqual([[], []]);
    expect((await reached.send({ method: 'DELETE', headers: session })).status).toBe(204);
    expect(await messagesOf(third)).toEqual([]);
    await reached.close();
  });

  test('deleting a session ends the calls that run in it, without an answer', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = reached.ask({ headers: { ...POST, ...session }, body: JSON.stringify(call(1, 'wait')) });
    const { aborted } = await stage.begun();
    await reached.send({ method: 'DELETE', headers: session });
    await aborted;
    expect(await messagesOf(await asked.answer)).toEqual([]);
    await reached.close();
  });

  test('a session that belongs to somebody else does not exist', async () => {
    const reached = await open(makeStage().server, { auth: byToken });
    const session = await openSession(reached, { headers: as('alice') });
    const stolen = { ...session, ...as('bob') };
    const answers = [
      await post(reached, call(1, 'echo', { text: 'x' }), stolen),
      await listen(reached, stolen),
      await reached.send({ method: 'DELETE', headers: stolen }),
      await listen(reached, { ...stolen, 'last-event-id': 'get-x.1' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await post(reached, ping, session)).status).toBe(200);
    expect((await post(reached, ping, { 'mcp-session-id': session['mcp-session-id'] ?? '' })).status).toBe(401);
    await reached.close();
  });

  test('a session belongs to a person with a client, of an issuer', async () => {
    const reached = await open(makeStage().server, {
      auth: (credentials) => {
        const [issuer = '', subject = '', clientId = ''] = credentials?.token.split('.') ?? [];
        return { issuer, subject, clientId };
      },
    });
    const session = await openSession(reached, { headers: as('idp.alice.app') });
    expect((await post(reached, ping, { ...session, ...as('idp.alice.app') })).status).toBe(200);
    expect((await post(reached, ping, { ...session, ...as('other.alice.app') })).status).toBe(404);
    expect((await post(reached, ping, { ...session, ...as('idp.alice.other') })).status).toBe(404);
    await reached.close();
  });

  test('an answer to a question counts only in the session that was asked', async () => {
    const stage = makeStage();
    stage.server.registerTool('ask', {}, async (_, ctx) => {
      const answer = await ctx.elicit('Name?', { type: 'object', properties: { name: { type: 'string' } } });
      return JSON.stringify(answer);
    });
    const reached = await open(stage.server);
    const capabilities = { elicitation: { form: {} } };
    const [mine, other] = [await openSession(reached, { capabilities }), await openSession(reached, { capabilities })];
    const asked = await post(reached, call(1, 'ask'), mine);
    const { id } = await nextMessage(asked);
    const forged = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'eve' } } };
    expect((await post(reached, forged, other)).status).toBe(202);
    const real = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'ann' } } };
    expect((await post(reached, real, mine)).status).toBe(202);
    expect(await nextMessage(asked)).toMatchObject({
      result: { content: [{ text: '{"action":"accept","content":{"name":"ann"}}' }] },
    });
    await reached.close();
  });

  test('a call is cancelled only from its own session', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const [mine, other] = [await openSession(reached), await openSession(reached)];
    const asked = reached.ask({ headers: { ...POST, ...mine }, body: JSON.stringify(call(1, 'wait')) });
    const begun = await stage.begun();
    await post(reached, notification('notifications/cancelled', { requestId: 1 }), other);
    expect(begun.ctx.signal.aborted).toBe(false);
    begun.end('done');
    expect((await (await asked.answer).json())['result']).toMatchObject({ content: [{ text: 'done' }] });
    await reached.close();
  });

  test('a second stream takes the place of the first if the same person opens it', async () => {
    const { server } = makeStage();
    const reached = await open(server, { auth: byToken });
    const session = await openSession(reached, { headers: as('alice') });
    const first = await listen(reached, session);
    const second = await listen(reached, session);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await messagesOf(first)).toEqual([]);
    server.registerTool('another', {}, () => 'x');
    expect(await nextMessage(second)).toMatchObject({ method: 'notifications/tools/list_changed' });
    second.hangUp();
    await reached.close();
  });

  test('where nobody knows who is there, a stream that is read keeps its place, and one that is not loses it', async () => {
    const { server } = makeStage();
    const reached = await open(server);
    const session = await openSession(reached);
    const first = await listen(reached, session);
    const second = await listen(reached, session);
    expect([first.status, second.status]).toEqual([200, 409]);
    server.registerTool('another', {}, () => 'x');
    expect(await nextMessage(first)).toMatchObject({ method: 'notifications/tools/list_changed' });
    first.hangUp();
    let third = await listen(reached, session);
    while (third.status === 409) third = await listen(reached, session);
    expect(third.status).toBe(200);
    third.hangUp();
    await reached.close();
  });

  test('a session that nobody uses ends after its time; one in which something goes on does not', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    const stage = makeStage();
    const reached = await open(stage.server, { sessions: { idleMs: 60_000 } });
    const [idle, used, busy] = [await openSession(reached), await openSession(reached), await openSession(reached)];
    const asked = reached.ask({ headers: { ...POST, ...busy }, body: JSON.stringify(call(1, 'wait')) });
    const read = asked.answer.then(messagesOf);
    const begun = await stage.begun();
    for (let seconds = 0; seconds < 120; seconds += 5) {
      vi.advanceTimersByTime(5000);
      expect((await post(reached, ping, used)).status).toBe(200);
    }
    expect((await post(reached, ping, idle)).status).toBe(404);
    begun.end('done');
    expect(await read).toMatchObject([{ id: 1, result: { content: [{ text: 'done' }] } }]);
    expect((await post(reached, ping, busy)).status).toBe(200);
    await reached.close();
  });

  test('when there are as many sessions as allowed, the longest idle one gives way', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const reached = await open(makeStage().server, { sessions: { max: 2 } });
    const first = await openSession(reached);
    const second = await openSession(reached);
    vi.advanceTimersByTime(1);
    expect((await post(reached, ping, first)).status).toBe(200);
    const third = await openSession(reached);
    const statuses = [first, second, third].map(async (session) => (await post(reached, ping, session)).status);
    expect(await Promise.all(statuses)).toEqual([200, 404, 200]);
    await reached.close();
  });

  test('when all sessions are in use, another gets 503; one that is deleted makes room', async () => {
    const stage = makeStage();
    const reached = await open(stage.server, { sessions: { max: 1 } });
    const first = await openSession(reached);
    const asked = reached.ask({ headers: { ...POST, ...first }, body: JSON.stringify(call(1, 'wait')) });
    const begun = await stage.begun();
    const second = await post(reached, initialize());
    expect([second.status, second.header('retry-after'), second.header('mcp-session-id')]).toEqual([
      503,
      '1',
      undefined,
    ]);
    begun.end('done');
    await asked.answer.then(messagesOf);
    await reached.send({ method: 'DELETE', headers: first });
    expect((await post(reached, initialize())).status).toBe(200);
    await reached.close();
  });

  test('a client that says too much of itself gets no session', async () => {
    const reached = await open(makeStage().server);
    const chatty = initialize('2025-11-25', { experimental: { a: { b: 'x'.repeat(20_000) } } });
    const answer = await post(reached, chatty);
    expect([answer.status, answer.header('mcp-session-id')]).toEqual([400, undefined]);
    expect(await answer.json()).toMatchObject({ id: 'hello', error: { code: -32602 } });
    await reached.close();
  });

  test('what one client says of itself cannot be changed for another that says the same', async () => {
    const stage = makeStage();
    stage.server.registerTool('rename', {}, (_, ctx) => {
      Object.assign(ctx.client ?? {}, { name: 'changed' });
      return 'renamed';
    });
    stage.server.registerTool('name', {}, (_, ctx) => ctx.client?.name ?? '');
    const reached = await open(stage.server);
    const [first, second] = [await openSession(reached), await openSession(reached)];
    await post(reached, call(1, 'rename'), first);
    const answer = await post(reached, call(1, 'name'), second);
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'test' }] } });
    await reached.close();
  });

  test('the version in the header has to be one with sessions that is served here', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached);
    const status = async (version: string): Promise<number> =>
      (await post(reached, ping, { ...session, 'mcp-protocol-version': version })).status;
    expect(await status('2025-11-25')).toBe(200);
    expect(await status('2025-06-18')).toBe(200);
    expect(await status('1900-01-01')).toBe(400);
    expect(await status('2026-07-28')).toBe(400);
    expect(await status('')).toBe(400);
    expect((await post(reached, ping, session)).status).toBe(200);
    await reached.close();
  });

  test('a second request under an id that is running is refused without that id', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = reached.ask({ headers: { ...POST, ...session }, body: JSON.stringify(call(77, 'wait')) });
    const begun = await stage.begun();
    const second = await post(reached, call(77, 'echo', { text: 'x' }), session);
    expect(second.status).toBe(400);
    expect(await second.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'A request with this id is running already' },
    });
    begun.end('first');
    expect(await (await asked.answer).json()).toMatchObject({ id: 77, result: { content: [{ text: 'first' }] } });
    await reached.close();
  });

  test('a store that fails gives 503 with Retry-After, and is reported', async () => {
    const stage = makeStage();
    const broken = {
      create: () => true,
      get: () => Promise.reject(new Error('redis://secret')),
      update: () => {},
      subscriptions: () => [],
      takeStream: () => ({ isTaken: true, previous: undefined }),
      touch: () => [],
      delete: () => true,
    };
    const reached = await open(stage.server, { sessions: { store: broken } });
    const opened = await post(reached, initialize());
    expect(opened.status).toBe(200);
    const answer = await post(reached, ping, { 'mcp-session-id': opened.header('mcp-session-id') ?? '' });
    expect(answer.status).toBe(503);
    expect(answer.header('retry-after')).toBe('1');
    expect(await answer.text()).not.toContain('redis');
    expect(String(stage.errors[0])).toContain('redis://secret');
    await reached.close();
  });

  test('sessions can be kept elsewhere: what is kept is JSON', async () => {
    const kept = new Map<string, string>();
    const states = new Map<string, object>();
    const reached = await open(makeStage().server, {
      sessions: {
        store: {
          create: async (id, record) => kept.set(id, JSON.stringify(record)).size > 0,
          get: async (id) => {
            const record = kept.get(id);
            if (record === undefined) return undefined;
            return {
              record: JSON.parse(record) as SessionRecord,
              initialized: false,
              logLevel: undefined,
              ...states.get(id),
            };
          },
          update: async (id, patch) => void states.set(id, { ...states.get(id), ...patch }),
          subscriptions: async () => [],
          takeStream: async () => ({ isTaken: true, previous: undefined }),
          touch: async () => [],
          delete: async (id) => kept.delete(id),
        },
      },
    });
    const session = await openSession(reached);
    const level = { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'error' } };
    expect((await post(reached, level, session)).status).toBe(200);
    const [stored = ''] = kept.values();
    expect(JSON.parse(stored)).toMatchObject({
      principal: '',
      session: { version: '2025-11-25', clientInfo: { name: 'test' } },
    });
    expect([...states.values()]).toEqual([{ initialized: true, logLevel: 'error' }]);
    expect((await reached.send({ method: 'DELETE', headers: session })).status).toBe(204);
    expect(kept.size).toBe(0);
    await reached.close();
  });
});

test('with a session that expires, its events go', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const forgotten: string[] = [];
  const events = { append: () => {}, follow: () => undefined, forget: (id: string) => void forgotten.push(id) };
  const reached = await web.open(makeStage().server, { sessions: { idleMs: 1000, events } });
  const session = await openSession(reached);
  vi.advanceTimersByTime(1000);
  expect((await post(reached, ping, session)).status).toBe(404);
  expect(forgotten).toEqual([session['mcp-session-id']]);
  vi.useRealTimers();
  await reached.close();
});

test('a session in which a call runs does not expire, however short its life and however rare the signs of life', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  const stage = makeStage();
  const reached = await web.open(stage.server, { sessions: { idleMs: 1000 }, keepAliveMs: 3_600_000 });
  const session = await openSession(reached);
  const answer = post(reached, call(1, 'wait'), session);
  const begun = await stage.begun();
  await vi.advanceTimersByTimeAsync(60_000);
  begun.end('done');
  expect(await (await answer).json()).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
  vi.useRealTimers();
  await reached.close();
});
