/** Streams that are lost and gone on with: from where, by whom, for how long. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryEventStore } from '../../src/store/event-store.ts';
import { messagesOf, nextMessage } from './events.ts';
import { type Answer, type Asked, FACES, openSession, post, type Reached, web } from './faces.ts';
import { call, type Headers, notification, POST } from './messages.ts';
import { makeStage } from './stage.ts';

const ping = { jsonrpc: '2.0', id: 'ping', method: 'ping' };

function listen(reached: Reached, session: Headers, last?: string): Promise<Answer> {
  const headers = { ...session, accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) };
  return reached.send({ method: 'GET', headers });
}

function ask(reached: Reached, session: Headers, message: unknown): Asked {
  return reached.ask({ headers: { ...POST, ...session }, body: JSON.stringify(message) });
}

const progress = (value: number): object => ({ method: 'notifications/progress', params: { progress: value } });

afterEach(() => {
  vi.useRealTimers();
});

describe.each(FACES)('through $name', ({ open }) => {
  test('in 2025-11-25 a stream begins with an event that has an id, a time to come back after, and no message', async () => {
    const stage = makeStage();
    const reached = await open(stage.server, { retryMs: 2500 });
    const session = await openSession(reached);
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const answer = await asked.answer;
    expect(await answer.next()).toMatchObject({ id: expect.stringMatching(/\.0$/), retry: '2500', data: '' });
    expect(await answer.next()).toMatchObject({ id: expect.stringMatching(/\.1$/), event: 'message' });
    begun.end('done');
    expect(await answer.next()).toMatchObject({
      id: expect.stringMatching(/\.2$/),
      data: expect.stringContaining('done'),
    });
    expect(await answer.next()).toBeUndefined();
    const stream = await listen(reached, session);
    expect(await stream.next()).toMatchObject({ id: expect.stringMatching(/\.0$/), retry: '2500', data: '' });
    stream.hangUp();
    await reached.close();
  });

  test.each(['2025-03-26', '2025-06-18'])('in %s a stream begins with a message', async (version) => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached, { version });
    const asked = ask(reached, session, call(1, 'wait'));
    (await stage.begun()).ctx.reportProgress(1);
    const event = await (await asked.answer).next();
    expect(event).toMatchObject({
      id: expect.stringMatching(/\.0$/),
      event: 'message',
      data: expect.stringMatching(/^{/),
    });
    expect(event?.retry).toBeUndefined();
    await reached.close();
  });

  test.each([
    ['2025-06-18', false],
    ['2025-11-25', true],
  ])('in %s a resumed stream begins with the id it was resumed from: %s', async (version, begins) => {
    const stage = makeStage();
    const reached = await open(stage.server, { retryMs: 2500 });
    const session = await openSession(reached, { version });
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const answer = await asked.answer;
    const first = await answer.next();
    answer.hangUp();
    const again = await listen(reached, session, first?.id);
    if (begins) expect(await again.next()).toMatchObject({ id: first?.id, retry: '2500', data: '' });
    begun.end('done');
    let next = await again.next();
    expect(next?.data).not.toBe('');
    while (next && !next.data?.includes('done')) next = await again.next();
    // A client that has everything is told nothing to come back for.
    const over = await listen(reached, session, next?.id);
    expect(await over.next()).toBeUndefined();
    await reached.close();
  });

  test('a connection cut in the middle of a call: what was missed and the answer come on the next', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const answer = await asked.answer;
    const first = await answer.next();
    answer.hangUp();
    // The handler does not notice: hanging up is no cancellation here.
    begun.ctx.reportProgress(2);
    const again = await listen(reached, session, first?.id);
    expect(await nextMessage(again)).toMatchObject(progress(1));
    expect(await nextMessage(again)).toMatchObject(progress(2));
    begun.ctx.reportProgress(3);
    expect(await nextMessage(again)).toMatchObject(progress(3));
    expect(begun.ctx.signal.aborted).toBe(false);
    begun.end('done');
    expect(await messagesOf(again)).toMatchObject([{ id: 1, result: { content: [{ text: 'done' }] } }]);
    await reached.close();
  });

  test('an answer that was given while nobody was there is kept', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const answer = await asked.answer;
    const [primer, event] = [await answer.next(), await answer.next()];
    answer.hangUp();
    begun.end('done');
    // Each of them, and more than once: a client may lose this connection, too.
    for (const last of [primer?.id, event?.id, event?.id]) {
      const messages = await messagesOf(await listen(reached, session, last));
      expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
      expect(messages.length).toBe(last === primer?.id ? 2 : 1);
    }
    await reached.close();
  });

  test('whoever has the answer already is told that there is no more', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    begun.end('done');
    const answer = await asked.answer;
    let last = await answer.next();
    for (let event = last; event; event = await answer.next()) last = event;
    expect(await messagesOf(await listen(reached, session, last?.id))).toEqual([]);
    await reached.close();
  });

  test('a question and its answer survive a lost connection', async () => {
    const stage = makeStage();
    stage.server.registerTool('ask', {}, async (_, ctx) => {
      ctx.reportProgress(1);
      return (await ctx.elicit('Sure?', { type: 'object', properties: {} })).action;
    });
    const reached = await open(stage.server);
    const session = await openSession(reached, { capabilities: { elicitation: {} } });
    const answer = await ask(reached, session, call(1, 'ask')).answer;
    const first = await answer.next();
    answer.hangUp();
    const again = await listen(reached, session, first?.id);
    await nextMessage(again);
    const { id } = await nextMessage(again);
    await post(reached, { jsonrpc: '2.0', id, result: { action: 'decline' } }, session);
    expect(await messagesOf(again)).toMatchObject([{ id: 1, result: { content: [{ text: 'decline' }] } }]);
    await reached.close();
  });

  test('a stream has one reader: whoever goes on with it ends the connection before', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const first = await asked.answer;
    const primer = await first.next();
    const second = await listen(reached, session, primer?.id);
    expect(await messagesOf(first)).toMatchObject([progress(1)]);
    const third = await listen(reached, session, primer?.id);
    expect(await messagesOf(second)).toMatchObject([progress(1)]);
    begun.end('done');
    expect(await messagesOf(third)).toMatchObject([progress(1), { id: 1 }]);
    await reached.close();
  });

  test('a cancelled call ends the stream that goes on with it, without an answer', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const answer = await asked.answer;
    const primer = await answer.next();
    answer.hangUp();
    const again = await listen(reached, session, primer?.id);
    await post(reached, notification('notifications/cancelled', { requestId: 1 }), session);
    expect(await messagesOf(again)).toMatchObject([progress(1)]);
    expect(await messagesOf(await listen(reached, session, primer?.id))).toMatchObject([progress(1)]);
    await reached.close();
  });

  test('a call that takes longer than a connection may is broken off, and its answer fetched', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stage = makeStage();
    const reached = await open(stage.server, { maxStreamMs: 30_000 });
    const session = await openSession(reached);
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    vi.advanceTimersByTime(30_000);
    const answer = await asked.answer;
    const primer = await answer.next();
    expect(primer).toMatchObject({ id: expect.any(String), retry: '1000', data: '' });
    expect(await answer.next()).toBeUndefined();
    const again = await listen(reached, session, primer?.id);
    begun.end('done');
    expect(await messagesOf(again)).toMatchObject([{ id: 1, result: { content: [{ text: 'done' }] } }]);
    // Nothing but the timer of the event store, which removes events after their time.
    expect(vi.getTimerCount()).toBe(1);
    await reached.close();
  });

  test('notifications leave no clock running', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const reached = await open(makeStage().server, { maxStreamMs: 30_000 });
    const session = await openSession(reached);
    await post(reached, notification('notifications/roots/list_changed'), session);
    await post(reached, ping, session);
    expect(vi.getTimerCount()).toBe(0);
    await reached.close();
  });

  test('where streams have no first event, a long call is not broken off', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stage = makeStage();
    const reached = await open(stage.server, { maxStreamMs: 30_000 });
    const session = await openSession(reached, { version: '2025-06-18' });
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    vi.advanceTimersByTime(60_000);
    begun.end('done');
    expect(await (await asked.answer).json()).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    await reached.close();
  });

  test('changes that happen while nobody listens are told to whoever comes back', async () => {
    const { server } = makeStage();
    const reached = await open(server);
    const session = await openSession(reached);
    const stream = await listen(reached, session);
    const primer = await stream.next();
    stream.hangUp();
    server.registerTool('one', {}, () => '');
    const again = await listen(reached, session, primer?.id);
    expect(await nextMessage(again)).toMatchObject({ method: 'notifications/tools/list_changed' });
    server.registerTool('two', {}, () => '');
    expect(await nextMessage(again)).toMatchObject({ method: 'notifications/tools/list_changed' });
    again.hangUp();
    await reached.close();
  });

  test('whoever knows an event of the stream takes it over, also from a connection that seems to live', async () => {
    const { server } = makeStage();
    const reached = await open(server);
    const session = await openSession(reached);
    const first = await listen(reached, session);
    const primer = await first.next();
    expect((await listen(reached, session)).status).toBe(409);
    const second = await listen(reached, session, primer?.id);
    expect(await messagesOf(first)).toEqual([]);
    server.registerTool('one', {}, () => '');
    expect(await nextMessage(second)).toMatchObject({ method: 'notifications/tools/list_changed' });
    second.hangUp();
    await reached.close();
  });

  test.each(['get-nobody.1', 'garbage', '__proto__', '.', '0', 'x'.repeat(4096)])(
    'the id "%s" of no event opens a stream like none',
    async (last) => {
      const { server } = makeStage();
      const reached = await open(server);
      const session = await openSession(reached);
      const stream = await listen(reached, session, last);
      expect(stream.status).toBe(200);
      expect((await listen(reached, session, last)).status).toBe(409);
      server.registerTool('one', {}, () => '');
      expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/tools/list_changed' });
      stream.hangUp();
      await reached.close();
    },
  );

  test('the stream of a call that is not known cannot be gone on with: 400', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached);
    const answer = await listen(reached, session, 'post-nobody.1');
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('cannot be gone on with');
    await reached.close();
  });

  test('an event of another session is no event', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const [mine, other] = [await openSession(reached), await openSession(reached)];
    const asked = ask(reached, mine, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const primer = await (await asked.answer).next();
    begun.end('secret');
    const answer = await listen(reached, other, primer?.id);
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain('secret');
    const stream = await listen(reached, mine);
    const standing = await stream.next();
    stage.server.registerTool('one', {}, () => '');
    await nextMessage(stream);
    const fresh = await listen(reached, other, standing?.id);
    expect(await fresh.next()).toMatchObject({ id: expect.stringMatching(/\.0$/), data: '' });
    stage.server.registerTool('two', {}, () => '');
    expect(await nextMessage(fresh)).toMatchObject({ method: 'notifications/tools/list_changed' });
    for (const one of [fresh, stream]) one.hangUp();
    await reached.close();
  });

  test('of a call that said more than is kept, the oldest is gone and the answer is not', async () => {
    const stage = makeStage();
    const events = memoryEventStore({ maxSessionBytes: 10_000 });
    const reached = await open(stage.server, { sessions: { events } });
    const session = await openSession(reached);
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(0);
    const answer = await asked.answer;
    const primer = await answer.next();
    answer.hangUp();
    for (let value = 1; value < 1000; value++) begun.ctx.reportProgress(value);
    begun.end('done');
    const messages = await messagesOf(await listen(reached, session, primer?.id));
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    expect(messages.length).toBeGreaterThan(5);
    expect(messages.length).toBeLessThan(50);
    await reached.close();
  });

  test('an event store that fails harms neither the call nor the process', async () => {
    const stage = makeStage();
    const fault = (): never => {
      throw new Error('no store');
    };
    const events = { append: fault, follow: fault, forget: () => Promise.reject(new Error('no store')) };
    const reached = await open(stage.server, { sessions: { events } });
    const session = await openSession(reached);
    const asked = ask(reached, session, call(1, 'wait'));
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    begun.end('done');
    expect(await messagesOf(await asked.answer)).toMatchObject([progress(1), { id: 1 }]);
    for (const last of ['post-x.1', 'get-x.1']) expect((await listen(reached, session, last)).status).toBe(503);
    expect((await reached.send({ method: 'DELETE', headers: session })).status).toBe(503);
    await reached.close();
  });
});

test('whoever comes back after the server stopped waiting hears from then on', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { server } = makeStage();
  const reached = await web.open(server);
  const session = await openSession(reached);
  const stream = await listen(reached, session);
  const primer = await stream.next();
  stream.hangUp();
  vi.advanceTimersByTime(10 * 60_000);
  expect(vi.getTimerCount()).toBe(0);
  server.registerTool('meanwhile', {}, () => '');
  const again = await listen(reached, session, primer?.id);
  server.registerTool('later', {}, () => '');
  expect(await nextMessage(again)).toMatchObject({ method: 'notifications/tools/list_changed' });
  again.hangUp();
  await reached.close();
});
