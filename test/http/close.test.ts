/** Closing: nothing new is begun, what runs gets its time, and nothing is left behind. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { messagesOf, nextMessage } from './events.ts';
import { type Asked, FACES, openSession, post, type Reached } from './faces.ts';
import {
  call,
  type Headers,
  initialize,
  type Message,
  notification,
  POST,
  stateless,
  statelessHeaders,
} from './messages.ts';
import { makeStage } from './stage.ts';

const CLOSING = { jsonrpc: '2.0', error: { code: -32603, message: 'The server is closing' } };

function ask(reached: Reached, message: Message, session?: Headers): Asked {
  const headers = session ? { ...POST, ...session } : statelessHeaders(message);
  return reached.ask({ headers, body: JSON.stringify(message) });
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each(FACES)('through $name', ({ open }) => {
  test('new work gets 503 and a time to come back; what runs ends as it would have', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const running = [ask(reached, call(1, 'wait', {}, true)), ask(reached, call(1, 'wait'), session)];
    const calls = [await stage.begun(), await stage.begun()];
    const closed = reached.close({ graceMs: 60_000 });
    const late = [
      await ask(reached, call(2, 'echo', {}, true)).answer,
      await ask(reached, call(2, 'echo'), session).answer,
      await post(reached, initialize()),
      await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } }),
      await reached.send({ method: 'DELETE', headers: session }),
    ];
    for (const answer of late) {
      expect([answer.status, answer.header('retry-after'), await answer.json()]).toEqual([503, '1', CLOSING]);
    }
    for (const { end } of calls) end('done');
    for (const { answer } of running) {
      expect(await (await answer).json()).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    }
    await closed;
    expect(stage.errors).toEqual([]);
  });

  test('a running call can still be answered, and taken back', async () => {
    const stage = makeStage();
    stage.server.registerTool('ask', {}, async (_, ctx) => {
      return (await ctx.elicit('Sure?', { type: 'object', properties: {} })).action;
    });
    const reached = await open(stage.server);
    const session = await openSession(reached, { capabilities: { elicitation: {} } });
    const asking = await ask(reached, call(1, 'ask'), session).answer;
    const { id } = await nextMessage(asking);
    const waiting = ask(reached, call(2, 'wait'), session);
    const begun = await stage.begun();
    const closed = reached.close({ graceMs: 60_000 });
    expect((await post(reached, { jsonrpc: '2.0', id, result: { action: 'cancel' } }, session)).status).toBe(202);
    expect(await messagesOf(asking)).toMatchObject([{ id: 1, result: { content: [{ text: 'cancel' }] } }]);
    const cancel = notification('notifications/cancelled', { requestId: 2 });
    expect((await post(reached, cancel, session)).status).toBe(202);
    await begun.aborted;
    expect(await messagesOf(await waiting.answer)).toEqual([]);
    await closed;
  });

  test('an answer that is fetched on another connection comes before that is closed', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = ask(reached, call(1, 'wait'), session);
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const first = await asked.answer;
    const primer = await first.next();
    first.hangUp();
    const headers = { ...session, accept: 'text/event-stream', 'last-event-id': primer?.id ?? '' };
    const again = await reached.send({ method: 'GET', headers });
    const closed = reached.close({ graceMs: 60_000 });
    begun.end('done');
    expect((await messagesOf(again)).at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    await closed;
  });

  test('streams that wait for changes end at once, and in order', async () => {
    const { server } = makeStage();
    const reached = await open(server, { sse: true });
    const session = await openSession(reached);
    const listen = stateless('l', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const listening = await ask(reached, listen).answer;
    const standing = await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } });
    const old = await reached.send({ method: 'GET', headers: { accept: 'text/event-stream' } });
    await nextMessage(listening);
    const closed = reached.close({ graceMs: 60_000 });
    expect(await messagesOf(listening)).toMatchObject([{ id: 'l', result: { resultType: 'complete' } }]);
    expect(await messagesOf(standing)).toEqual([]);
    expect((await old.next())?.event).toBe('endpoint');
    expect(await old.next()).toBeUndefined();
    await closed;
  });

  test('what has not ended in its time is aborted, and may still answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = [ask(reached, call(1, 'wait', {}, true)), ask(reached, call(1, 'wait'), session)];
    const calls = [await stage.begun(), await stage.begun()];
    const closed = reached.close({ graceMs: 5000 });
    vi.advanceTimersByTime(4999);
    expect(calls.map(({ ctx }) => ctx.signal.aborted)).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    await Promise.all(calls.map(({ aborted }) => aborted));
    for (const { answer } of asked) {
      const { id } = await (await answer).json();
      expect(id).toBe(1);
    }
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a handler that does not listen to its signal is not waited for', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const silent = ask(reached, call(1, 'stubborn', {}, true));
    const first = await stage.begun();
    const speaking = ask(reached, call(2, 'stubborn', {}, true));
    const second = await stage.begun();
    second.ctx.reportProgress(1);
    const stateful = ask(reached, call(1, 'stubborn'), session);
    const third = await stage.begun();
    const answers = Promise.all([silent.answer, speaking.answer, stateful.answer]);
    const read = answers.then(async ([one, two, three]) => [
      [one.status, one.header('retry-after'), await one.json()],
      await messagesOf(two),
      [three.status, three.header('retry-after'), await three.json()],
    ]);
    await reached.close();
    const refused = [503, '1', CLOSING];
    expect(await read).toMatchObject([refused, [{ method: 'notifications/progress' }], refused]);
    for (const { end } of [first, second, third]) end('too late');
    expect(stage.errors).toEqual([]);
  });

  test('a request whose body comes after the end is not begun', async () => {
    const stage = makeStage();
    const reached = await open(stage.server, { auth: async () => ({ subject: 'a' }) });
    const asked = ask(reached, call(1, 'wait', {}, true));
    const closed = reached.close();
    const answer = await asked.answer.catch(() => undefined);
    expect(answer?.status ?? 503).toBe(503);
    await closed;
  });

  test('closing twice is closing once, and leaves no clock running', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const { server } = makeStage();
    const reached = await open(server);
    const session = await openSession(reached);
    const stream = await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } });
    // One for signs of life, one that keeps the session in use.
    expect(vi.getTimerCount()).toBe(2);
    await Promise.all([reached.close(), reached.close({ graceMs: 1000 })]);
    await messagesOf(stream);
    expect(vi.getTimerCount()).toBe(0);
    server.registerTool('later', {}, () => '');
  });

  test('a handshake that takes long is aborted, too', async () => {
    const stage = makeStage();
    let begin: (signal: AbortSignal) => void = () => {};
    const begun = new Promise<AbortSignal>((resolve) => {
      begin = resolve;
    });
    stage.server.use(async (ctx, next) => {
      if (ctx.method !== 'initialize') return next();
      begin(ctx.signal);
      await new Promise((done) => ctx.signal.addEventListener('abort', done));
      return next();
    });
    const reached = await open(stage.server);
    const asked = ask(reached, initialize(), {});
    const signal = await begun;
    await Promise.all([reached.close(), asked.answer]);
    expect(signal.aborted).toBe(true);
  });
});
