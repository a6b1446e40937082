/** A session is there for whom it was opened: to everybody else it does not exist, on POST, GET and DELETE. */

import { afterEach, describe, expect, test } from 'vitest';
import { messagesOf, nextMessage } from '../http/events.ts';
import { type Answer, type Ask, FACES, openSession, post, type Reached } from '../http/faces.ts';
import { call, type Headers, notification, POST } from '../http/messages.ts';
import { type Call, makeStage, type Stage } from '../http/stage.ts';
import { as, auth, OTHERS } from './people.ts';

const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };
const EVENTS = { accept: 'text/event-stream' };

/** Everything one can try with the id of a session. */
const TRIES: readonly (readonly [what: string, ask: Ask])[] = [
  ['a request', { headers: POST, body: JSON.stringify(ping) }],
  ['a call', { headers: POST, body: JSON.stringify(call(7, 'echo', { text: 'x' })) }],
  ['a notification', { headers: POST, body: JSON.stringify(notification('notifications/initialized')) }],
  [
    'a cancellation',
    { headers: POST, body: JSON.stringify(notification('notifications/cancelled', { requestId: 1 })) },
  ],
  ['an answer', { headers: POST, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }) }],
  ['what cannot be read', { headers: POST, body: '{"jsonrpc":' }],
  ['listening', { method: 'GET', headers: EVENTS }],
  ['listening again', { method: 'GET', headers: { ...EVENTS, 'last-event-id': 'get-x.0' } }],
  ['coming back to a call', { method: 'GET', headers: { ...EVENTS, 'last-event-id': 'post-x.0' } }],
  ['ending it', { method: 'DELETE' }],
];

describe.each(FACES)('through $name', ({ open }) => {
  let stage: Stage;
  let reached: Reached;

  async function start(): Promise<Headers> {
    stage = makeStage();
    reached = await open(stage.server, { auth });
    return openSession(reached, { headers: as('alice') });
  }
  afterEach(() => reached.close());

  const send = (ask: Ask, headers: Headers): Promise<Answer> =>
    reached.send({ ...ask, headers: { ...ask.headers, ...headers } });

  describe.each(OTHERS)('%s', (token) => {
    test.each(TRIES)('%s gets what one gets in a session that does not exist', async (what, ask) => {
      const session = await start();
      const answer = await send(ask, { ...session, ...as(token) });
      const none = await send(ask, { 'mcp-session-id': 'none', ...as(token) });
      expect([what, answer.status]).toEqual([what, 404]);
      expect([none.status, await none.text()]).toEqual([404, await answer.text()]);
      expect((await post(reached, ping, session)).status).toBe(200);
    });

    test('does not get at a call: not at its stream, not at its end', async () => {
      const session = await start();
      const { stream, running } = await called(session);
      const eventId = (await stream.next())?.id ?? '';
      expect(eventId).toMatch(/^post-/);
      const theirs = { ...session, ...as(token) };
      const back = await send({ method: 'GET', headers: EVENTS }, { ...theirs, 'last-event-id': eventId });
      expect(back.status).toBe(404);
      const cancelled = await post(reached, notification('notifications/cancelled', { requestId: 1 }), theirs);
      expect(cancelled.status).toBe(404);

      // In a session of their own the ids name nothing.
      const own = await openSession(reached, { headers: as(token) });
      await post(reached, notification('notifications/cancelled', { requestId: 1 }), own);
      const elsewhere = await send({ method: 'GET', headers: EVENTS }, { ...own, 'last-event-id': eventId });
      const unknown = await send({ method: 'GET', headers: EVENTS }, { ...own, 'last-event-id': 'post-unknown.0' });
      expect([elsewhere.status, await elsewhere.text()]).toEqual([unknown.status, await unknown.text()]);
      expect(elsewhere.status).toBe(400);

      running.end('done');
      const messages = await messagesOf(stream);
      expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    });

    test('does not get at the stream of changes, nor at what was missed on it', async () => {
      const session = await start();
      const stream = await send({ method: 'GET', headers: EVENTS }, session);
      const eventId = (await stream.next())?.id ?? '';
      stage.server.registerTool('news', {}, () => '');
      expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/tools/list_changed' });

      const own = await openSession(reached, { headers: as(token) });
      const theirs = await send({ method: 'GET', headers: EVENTS }, { ...own, 'last-event-id': eventId });
      expect(theirs.status).toBe(200);
      stage.server.registerTool('more', {}, () => '');
      // Alice's stream is open still, and takes nothing from theirs.
      expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/tools/list_changed' });
      stream.hangUp();
      // They were told what happened since they came, and nothing of what had happened before.
      await send({ method: 'DELETE' }, own);
      expect(await messagesOf(theirs)).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
    });

    test('does not answer a question that was put to somebody else', async () => {
      const session = await start();
      stage.server.registerTool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.listRoots()));
      await post(reached, ping, session);
      const capable = await openSession(reached, { headers: as('alice'), capabilities: { roots: {} } });
      const stream = await post(reached, call(1, 'ask'), capable);
      const { id } = await nextMessage(stream);
      const forged = { jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///forged' }] } };
      const own = await openSession(reached, { headers: as(token), capabilities: { roots: {} } });
      expect((await post(reached, forged, { ...capable, ...as(token) })).status).toBe(404);
      expect((await post(reached, forged, own)).status).toBe(202);
      await post(reached, { jsonrpc: '2.0', id, result: { roots: [] } }, capable);
      expect(await messagesOf(stream)).toMatchObject([{ id: 1, result: { content: [{ text: '{"roots":[]}' }] } }]);
    });
  });

  test('with another token of hers Alice goes on: calls, streams, what she missed, the end', async () => {
    const session = await start();
    const refreshed = { ...session, ...as('alice-refreshed') };
    expect((await post(reached, ping, refreshed)).status).toBe(200);

    const { stream, running } = await called(session);
    const eventId = (await stream.next())?.id ?? '';
    stream.hangUp();
    const back = await send({ method: 'GET', headers: EVENTS }, { ...refreshed, 'last-event-id': eventId });
    expect(back.status).toBe(200);
    running.end('done');
    expect(await messagesOf(back)).toMatchObject([
      { method: 'notifications/progress' },
      { id: 1, result: { content: [{ text: 'done' }] } },
    ]);

    const news = await send({ method: 'GET', headers: EVENTS }, refreshed);
    stage.server.registerTool('news', {}, () => '');
    expect(await nextMessage(news)).toMatchObject({ method: 'notifications/tools/list_changed' });
    expect((await send({ method: 'DELETE' }, refreshed)).status).toBe(204);
    expect(await news.next()).toBeUndefined();
    expect((await post(reached, ping, session)).status).toBe(404);
  });

  /** A call of Alice's that has begun to say something. */
  async function called(session: Headers): Promise<{ stream: Answer; running: Call }> {
    const asked = reached.ask({
      headers: { ...POST, ...session },
      body: JSON.stringify(call(1, 'wait', { name: 'hers' })),
    });
    const running = await stage.begun();
    running.ctx.reportProgress(1);
    return { stream: await asked.answer, running };
  }
});
