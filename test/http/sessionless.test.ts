/** Older revisions without sessions, and batches with and without them. */

import { describe, expect, test } from 'vitest';
import { messagesOf } from './events.ts';
import { FACES, openSession, post } from './faces.ts';
import { call, initialize, notification, POST, stateless, statelessHeaders } from './messages.ts';
import { makeStage } from './stage.ts';

const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
const failed = (code: number): object => ({ error: { code } });

describe.each(FACES)('without sessions, through $name', ({ open }) => {
  test('each request stands alone: nobody is given an id, and none is asked for', async () => {
    const reached = await open(makeStage().server, { sessions: false });
    const opened = await post(reached, initialize('2025-06-18'));
    expect([opened.status, opened.header('mcp-session-id')]).toEqual([200, undefined]);
    expect(await opened.json()).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
    expect((await post(reached, notification('notifications/initialized'))).status).toBe(202);
    const answer = await post(reached, call(1, 'echo', { text: 'hi' }), { 'mcp-session-id': 'passed over' });
    expect(await answer.json()).toMatchObject({ id: 1, result: { content: [{ text: 'hi' }] } });
    await reached.close();
  });

  test('the header says the revision; without one it is 2025-03-26, and an unknown one gets 400', async () => {
    const stage = makeStage();
    stage.server.registerTool('revision', {}, (_, ctx) => ctx.revision);
    const reached = await open(stage.server, { sessions: false });
    const revision = async (headers: Record<string, string>): Promise<unknown> => {
      const { result } = (await (await post(reached, call(1, 'revision'), headers)).json()) as {
        result?: { content: { text: string }[] };
      };
      return result?.content[0]?.text;
    };
    expect(await revision({})).toBe('2025-03-26');
    expect(await revision({ 'mcp-protocol-version': '2025-11-25' })).toBe('2025-11-25');
    const unknown = await post(reached, call(1, 'revision'), { 'mcp-protocol-version': '1900-01-01' });
    expect([unknown.status, await unknown.json()]).toMatchObject([400, failed(-32022)]);
    await reached.close();
  });

  test('only what needs no session is declared and served', async () => {
    const stage = makeStage();
    stage.server.registerResource('x://a', {}, () => '').registerPrompt('p', {}, () => '');
    stage.server.registerTool('log', {}, (_, ctx) => {
      ctx.log.error('not sent');
      return 'done';
    });
    const reached = await open(stage.server, { sessions: false });
    const { result } = (await (await post(reached, initialize('2025-11-25'))).json()) as { result: object };
    expect(result).toMatchObject({ capabilities: expect.anything() });
    expect((result as { capabilities: object }).capabilities).toEqual({ tools: {}, prompts: {}, resources: {} });
    for (const [method, params] of [
      ['resources/subscribe', { uri: 'x://a' }],
      ['resources/unsubscribe', { uri: 'x://a' }],
      ['logging/setLevel', { level: 'debug' }],
    ]) {
      const answer = await post(reached, { jsonrpc: '2.0', id: 1, method, params });
      expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32601 } });
    }
    expect(await (await post(reached, call(2, 'log'))).json()).toMatchObject({ id: 2, result: {} });
    stage.server.registerTool('later', {}, () => 'there');
    expect(await (await post(reached, call(3, 'later'))).json()).toMatchObject({
      result: { content: [{ text: 'there' }] },
    });
    await reached.close();
  });

  test('clients of 2026-07-28 are served in full at the same URL', async () => {
    const reached = await open(makeStage().server, { sessions: false });
    const message = stateless(1, 'server/discover');
    const answer = await reached.send({ headers: statelessHeaders(message), body: JSON.stringify(message) });
    expect(await answer.json()).toMatchObject({
      result: { capabilities: { tools: { listChanged: true }, logging: {} } },
    });
    await reached.close();
  });

  test('a handler cannot ask anything, and is told at once', async () => {
    const stage = makeStage();
    stage.server.registerTool('ask', {}, async (_, ctx) => {
      return ctx.elicit('Sure?', { type: 'object', properties: {} }).then(
        () => 'asked',
        (error: Error) => error.message,
      );
    });
    const reached = await open(stage.server, { sessions: false });
    const answer = await post(reached, call(1, 'ask'), { 'mcp-protocol-version': '2025-11-25' });
    expect(await answer.json()).toMatchObject({
      result: { content: [{ text: expect.stringContaining('elicitation') }] },
    });
    await reached.close();
  });

  test('progress comes on a stream without ids: there is nothing to come back to', async () => {
    const stage = makeStage();
    const reached = await open(stage.server, { sessions: false });
    const body = JSON.stringify(call(1, 'wait'));
    const asked = reached.ask({ headers: { ...POST, 'mcp-protocol-version': '2025-11-25' }, body });
    const begun = await stage.begun();
    begun.ctx.reportProgress(1);
    const answer = await asked.answer;
    expect((await answer.next())?.id).toBeUndefined();
    begun.end('done');
    expect(await messagesOf(answer)).toMatchObject([{ id: 1, result: { content: [{ text: 'done' }] } }]);
    await reached.close();
  });

  test('a batch is answered as one', async () => {
    const reached = await open(makeStage().server, { sessions: false });
    const answer = await post(reached, [ping(1), notification('notifications/initialized'), ping(2)]);
    expect(await answer.json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]);
    await reached.close();
  });
});

describe.each(FACES)('batches, through $name', ({ open }) => {
  test('2025-03-26 answers one in one piece, in its order', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached, { version: '2025-03-26' });
    const batch = [ping(1), { jsonrpc: '2.0', id: 2 }, notification('notifications/x'), call(3, 'echo', { text: 'c' })];
    const answer = await post(reached, batch, session);
    expect([answer.status, answer.header('content-type')]).toEqual([200, 'application/json']);
    expect(await answer.json()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, ...failed(-32600) },
      { id: 3, result: { content: [{ text: 'c' }] } },
    ]);
    await reached.close();
  });

  test('one with nothing to answer gets 202', async () => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached, { version: '2025-03-26' });
    const batch = [notification('notifications/x'), { jsonrpc: '2.0', id: 5, result: {} }];
    const answer = await post(reached, batch, session);
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    await reached.close();
  });

  test.each(['2025-06-18', '2025-11-25'])('%s refuses one, and runs nothing of it', async (version) => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached, { version });
    const answer = await post(reached, [call(1, 'wait'), call(2, 'wait')], session);
    expect([answer.status, await answer.json()]).toMatchObject([400, failed(-32600)]);
    await reached.close();
  });

  test.each([
    ['an empty one', []],
    ['"initialize" in one', [initialize('2025-03-26')]],
    ['101 messages', Array.from({ length: 101 }, (_, id) => ping(id))],
  ])('%s gets 400', async (_, batch) => {
    const reached = await open(makeStage().server);
    const session = await openSession(reached, { version: '2025-03-26' });
    const answer = await post(reached, batch, session);
    expect([answer.status, await answer.json()]).toMatchObject([400, failed(-32600)]);
    expect((await post(reached, batch)).status).toBe(400);
    await reached.close();
  });

  test('a call of one can be cancelled while the others go on', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached, { version: '2025-03-26' });
    const body = JSON.stringify([call(1, 'wait', { name: 'a' }), call(2, 'wait', { name: 'b' })]);
    const asked = reached.ask({ headers: { ...POST, ...session }, body });
    const [first, second] = [await stage.begun(), await stage.begun()];
    await post(reached, notification('notifications/cancelled', { requestId: 1 }), session);
    await first.aborted;
    second.end('b');
    expect(await (await asked.answer).json()).toMatchObject([{ id: 2, result: { content: [{ text: 'b' }] } }]);
    await reached.close();
  });

  test('two requests with one id in one: the second is refused without it', async () => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const session = await openSession(reached, { version: '2025-03-26' });
    const body = JSON.stringify([call(1, 'wait'), ping(1)]);
    const asked = reached.ask({ headers: { ...POST, ...session }, body });
    (await stage.begun()).end('a');
    expect(await (await asked.answer).json()).toMatchObject([
      { id: 1, result: {} },
      { id: null, ...failed(-32600) },
    ]);
    await reached.close();
  });
});
