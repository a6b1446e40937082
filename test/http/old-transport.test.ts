/** HTTP+SSE of 2024-11-05, at the same URL, for those who ask for it. */

import { describe, expect, test } from 'vitest';
import { nextMessage } from './events.ts';
import { type Answer, FACES, node, post, type Reached } from './faces.ts';
import { call, type Headers, initialize, notification, POST } from './messages.ts';
import { connectTo, rawRequest } from './raw.ts';
import { makeStage } from './stage.ts';

const MiB = 1024 * 1024;

interface Line {
  readonly stream: Answer;
  readonly target: string;
  say(message: unknown, headers?: Headers): Promise<Answer>;
}

/** Opens a stream, and gives where to post. */
async function openLine(reached: Reached, headers: Headers = {}, target = '/mcp'): Promise<Line> {
  const stream = await reached.send({ method: 'GET', target, headers: { accept: 'text/event-stream', ...headers } });
  const event = await stream.next();
  expect(event?.event).toBe('endpoint');
  const where = event?.data ?? '';
  const say = (message: unknown, other = headers): Promise<Answer> =>
    reached.send({ target: where, headers: { ...POST, ...other }, body: JSON.stringify(message) });
  return { stream, target: where, say };
}

describe.each(FACES)('through $name', ({ open }) => {
  test('a stream says first where to post; posts get 202, and their answers come on the stream', async () => {
    const { server } = makeStage();
    const reached = await open(server, { sse: true });
    const { stream, target, say } = await openLine(reached);
    expect(target).toMatch(/^\/mcp\?sessionId=[A-Za-z0-9_-]{32}$/);
    const answer = await say(initialize('2024-11-05'));
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    expect(await nextMessage(stream)).toMatchObject({ id: 'hello', result: { protocolVersion: '2024-11-05' } });
    await say(notification('notifications/initialized'));
    await say(call(1, 'echo', { text: 'hi' }));
    expect(await nextMessage(stream)).toMatchObject({ id: 1, result: { content: [{ text: 'hi' }] } });
    server.registerTool('one', {}, () => '');
    expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/tools/list_changed' });
    stream.hangUp();
    await reached.close();
  });

  test('the query of the URL is kept, and two slashes name no other host', async () => {
    const reached = await open(makeStage().server, { sse: true });
    const kept = await openLine(reached, {}, '/mcp?tenant=a%26b');
    expect(kept.target).toMatch(/^\/mcp\?tenant=a%26b&sessionId=/);
    const slashes = await openLine(reached, {}, '//evil.example/mcp');
    expect(slashes.target).toMatch(/^\/evil.example\/mcp\?sessionId=/);
    for (const { stream } of [kept, slashes]) stream.hangUp();
    await reached.close();
  });

  test('whoever did not ask for it does not have it', async () => {
    const reached = await open(makeStage().server);
    const stream = await reached.send({ method: 'GET', headers: { accept: 'text/event-stream' } });
    expect(stream.status).toBe(400);
    await reached.close();
  });

  test('the newer transport goes on at the same URL', async () => {
    const reached = await open(makeStage().server, { sse: true });
    const { stream } = await openLine(reached);
    expect((await post(reached, initialize())).header('mcp-session-id')).toBeDefined();
    stream.hangUp();
    await reached.close();
  });

  test.each(['unknown', '__proto__', 'constructor', ''])('a post to the session "%s" gets 404', async (id) => {
    const reached = await open(makeStage().server, { sse: true });
    const answer = await reached.send({
      target: `/mcp?sessionId=${id}`,
      headers: POST,
      body: JSON.stringify(call(1, 'echo')),
    });
    expect(answer.status).toBe(404);
    await reached.close();
  });

  test('a stranger gets 403 on its stream and on its posts', async () => {
    const reached = await open(makeStage().server, { sse: true });
    const { stream, say } = await openLine(reached);
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      const get = { accept: 'text/event-stream', ...headers };
      expect((await reached.send({ method: 'GET', headers: get })).status).toBe(403);
      expect((await say(initialize('2024-11-05'), headers)).status).toBe(403);
    }
    stream.hangUp();
    await reached.close();
  });

  test('somebody else’s stream does not exist', async () => {
    const reached = await open(makeStage().server, {
      sse: true,
      auth: (credentials) => (credentials ? { subject: credentials.token } : { status: 401 }),
    });
    const line = await openLine(reached, { authorization: 'Bearer alice' });
    expect((await line.say(initialize('2024-11-05'), { authorization: 'Bearer bob' })).status).toBe(404);
    expect((await line.say(initialize('2024-11-05'), {})).status).toBe(401);
    expect((await line.say(initialize('2024-11-05'))).status).toBe(202);
    expect(await nextMessage(line.stream)).toMatchObject({ id: 'hello' });
    line.stream.hangUp();
    await reached.close();
  });

  test('50 clients that go away end their sessions, and the calls in them', async () => {
    const stage = makeStage();
    const reached = await open(stage.server, { sse: true, limits: { streams: 50 } });
    const lines = await Promise.all(Array.from({ length: 50 }, () => openLine(reached)));
    expect((await reached.send({ method: 'GET', headers: { accept: 'text/event-stream' } })).status).toBe(503);
    for (const { say } of lines) await say(initialize('2024-11-05'));
    for (const { say } of lines) await say(call(1, 'wait'));
    const calls = await Promise.all(lines.map(() => stage.begun()));
    for (const { stream } of lines) stream.hangUp();
    await Promise.all(calls.map(({ aborted }) => aborted));
    for (const { say } of lines) expect((await say(call(2, 'echo'))).status).toBe(404);
    const again = await openLine(reached);
    again.stream.hangUp();
    await reached.close();
  });

  test('limits.running holds for all connections together: a POST beyond it gets 503', async () => {
    const stage = makeStage();
    const reached = await open(stage.server, { sse: true, limits: { running: 2 } });
    const lines = await Promise.all([openLine(reached), openLine(reached)]);
    for (const { say } of lines) await say(initialize('2024-11-05'));
    for (const { say } of lines) await say(call(1, 'wait'));
    const [first, second] = [await stage.begun(), await stage.begun()];
    const [line] = lines;
    expect((await line?.say(call(2, 'echo', { text: 'x' })))?.status).toBe(503);
    first.end('done');
    second.end('done');
    for (const { stream } of lines) {
      expect(await nextMessage(stream)).toMatchObject({ id: 'hello' });
      expect(await nextMessage(stream)).toMatchObject({ id: 1, result: {} });
    }
    expect((await line?.say(call(2, 'echo', { text: 'x' })))?.status).toBe(202);
    for (const { stream } of lines) stream.hangUp();
    await reached.close();
  });

  test('what cannot be read is told on the stream', async () => {
    const reached = await open(makeStage().server, { sse: true });
    const { stream, target } = await openLine(reached);
    const answer = await reached.send({ target, headers: POST, body: '{"jsonrpc":' });
    expect(answer.status).toBe(202);
    expect(await nextMessage(stream)).toMatchObject({ error: { code: -32700 } });
    stream.hangUp();
    await reached.close();
  });
});

test('64 MB get 413, like everywhere', async () => {
  const reached = await node.open(makeStage().server, { sse: true });
  const { stream, target } = await openLine(reached);
  const client = await connectTo(reached.port);
  const fields = ['Host: localhost', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
  client.write(rawRequest(`POST ${target} HTTP/1.1`, fields));
  const block = `${MiB.toString(16)}\r\n${' '.repeat(MiB)}\r\n`;
  for (let sent = 0; sent < 5; sent++) client.write(block);
  expect((await client.answer()).status).toBe(413);
  client.destroy();
  stream.hangUp();
  await reached.close();
});
