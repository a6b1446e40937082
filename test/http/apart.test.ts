/** Many clients at the same time: each gets its own answers, and what it leaves behind is cleared away. */

import { describe, expect, test } from 'vitest';
import { messagesOf, nextMessage } from './events.ts';
import { type Asked, FACES, openSession, post, type Reached } from './faces.ts';
import { call, type Headers, type Message, POST, stateless, statelessHeaders } from './messages.ts';
import { type Call, makeStage } from './stage.ts';

function askStateless(reached: Reached, message: Message): Asked {
  return reached.ask({ headers: statelessHeaders(message), body: JSON.stringify(message) });
}

describe.each(FACES)('through $name', ({ open }) => {
  test('50 clients with the same ids each get their own answers and progress, on every kind of revision', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const versions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
    const clients = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const version = versions[index % versions.length] ?? '';
        const isStateless = version === '2026-07-28';
        const session: Headers = isStateless ? {} : await openSession(reached, { version });
        const send = (message: Message): Asked =>
          reached.ask({
            headers: isStateless ? statelessHeaders(message) : { ...POST, ...session },
            body: JSON.stringify(message),
          });
        const asked = [0, 1].map((id) => send(call(id, 'wait', { name: `${index}/${id}` }, isStateless)));
        return { index, asked };
      }),
    );
    const calls: Call[] = [];
    for (let count = 0; count < 100; count++) calls.push(await stage.begun());
    for (const { ctx, name } of calls) ctx.reportProgress(Number(name.replace('/', '.')) + 1);
    for (const { end, name } of calls.reverse()) end(`answer of ${name}`);
    for (const { index, asked } of clients) {
      for (const [id, { answer }] of asked.entries()) {
        expect(await messagesOf(await answer)).toMatchObject([
          {
            method: 'notifications/progress',
            params: { progressToken: `p${id}`, progress: Number(`${index}.${id}`) + 1 },
          },
          { id, result: { content: [{ text: `answer of ${index}/${id}` }] } },
        ]);
      }
    }
    await reached.close();
  });

  test('200 stateless clients that go away in the middle of a call take it back', async () => {
    const stage = makeStage();
    const reached = await open(stage.server, { limits: { running: 200 } });
    const asked = Array.from({ length: 200 }, (_, id) => askStateless(reached, call(id, 'wait', {}, true)));
    const calls = await Promise.all(asked.map(() => stage.begun()));
    for (const { hangUp } of asked) hangUp();
    await Promise.all(calls.map(({ aborted }) => aborted));
    // There is room again for as many.
    const echo = call(1, 'echo', { text: 'x' }, true);
    let one = await askStateless(reached, echo).answer;
    while (one.status === 503) one = await askStateless(reached, echo).answer;
    expect(one.status).toBe(200);
    expect(stage.errors).toEqual([]);
    await reached.close();
  });

  test('a client of a session that goes away in the middle of a call does not end it', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached);
    const asked = reached.ask({ headers: { ...POST, ...session }, body: JSON.stringify(call(1, 'wait')) });
    const begun = await stage.begun();
    asked.hangUp();
    // Whatever is asked now comes after the end of that connection.
    expect((await post(reached, call(2, 'echo', { text: 'x' }), session)).status).toBe(200);
    expect(begun.ctx.signal.aborted).toBe(false);
    begun.end('done');
    // Its id is free once it is over.
    let next = await post(reached, call(1, 'echo', { text: 'x' }), session);
    while (next.status === 400) next = await post(reached, call(1, 'echo', { text: 'x' }), session);
    expect(next.status).toBe(200);
    await reached.close();
  });

  test('200 clients listen; there is room again for each that goes away', async () => {
    const stage = makeStage();
    const reached = await open(stage.server, { limits: { streams: 200 } });
    const listen = (id: number): Asked =>
      askStateless(reached, stateless(id, 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    const streams = await Promise.all(Array.from({ length: 200 }, (_, id) => listen(id).answer));
    for (const stream of streams) await nextMessage(stream);
    const more = await listen(200).answer;
    expect([more.status, more.header('retry-after')]).toEqual([503, '1']);
    stage.server.registerTool('one', {}, () => '');
    for (const [id, stream] of streams.entries()) {
      expect(await nextMessage(stream)).toMatchObject({
        params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
      });
      stream.hangUp();
    }
    let again = await listen(0).answer;
    while (again.status === 503) again = await listen(0).answer;
    expect(again.status).toBe(200);
    again.hangUp();
    await reached.close();
  });

  test('handlers that go on after their clients went away take up room until they end', async () => {
    const stage = makeStage();
    const reached = await open(stage.server, { limits: { running: 3 } });
    const session = await openSession(reached);
    const asked = [
      askStateless(reached, call(1, 'stubborn', {}, true)),
      askStateless(reached, call(2, 'stubborn', {}, true)),
      reached.ask({ headers: { ...POST, ...session }, body: JSON.stringify(call(3, 'stubborn')) }),
    ];
    const calls = await Promise.all(asked.map(() => stage.begun()));
    for (const { hangUp } of asked) hangUp();
    await Promise.all(calls.slice(0, 2).map(({ aborted }) => aborted));
    const echo = call(9, 'echo', { text: 'x' }, true);
    const full = [
      await askStateless(reached, echo).answer,
      await post(reached, call(9, 'echo', { text: 'x' }), session),
      await post(reached, { ...call(9, 'echo'), method: 'initialize' }),
    ];
    expect(full.map(({ status }) => status)).toEqual([503, 503, 503]);
    for (const { end } of calls) end('late');
    let free = await askStateless(reached, echo).answer;
    while (free.status === 503) free = await askStateless(reached, echo).answer;
    expect(free.status).toBe(200);
    await reached.close();
  });

  test('one session may not have more running than one client may', async () => {
    const stage = makeStage({ limits: { inFlight: 2 } });
    const reached = await open(stage.server);
    const [mine, other] = [await openSession(reached), await openSession(reached)];
    const asked = [1, 2].map((id) =>
      reached.ask({ headers: { ...POST, ...mine }, body: JSON.stringify(call(id, 'wait')) }),
    );
    const calls = await Promise.all(asked.map(() => stage.begun()));
    const third = await post(reached, call(3, 'echo', { text: 'x' }), mine);
    expect([third.status, third.header('retry-after')]).toEqual([503, '1']);
    expect((await post(reached, call(3, 'echo', { text: 'x' }), other)).status).toBe(200);
    for (const { end } of calls) end('done');
    for (const { answer } of asked) expect((await answer).status).toBe(200);
    await reached.close();
  });
});
