/** Clients that ask for a stream and do not read it. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { messagesOf } from './events.ts';
import { type Answer, FACES, node, openSession, type Reached, web } from './faces.ts';
import { call, type Message, stateless, statelessHeaders } from './messages.ts';
import { connectTo, type RawConnection, rawRequest } from './raw.ts';
import { makeStage } from './stage.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Asks on a connection of its own, and does not read the answer. */
async function askAndStopReading(reached: Reached, message: Message): Promise<RawConnection> {
  const client = await connectTo(reached.port);
  client.socket.pause();
  const fields = Object.entries(statelessHeaders(message)).map(([name, value]) => `${name}: ${value}`);
  client.write(rawRequest('POST /mcp HTTP/1.1', ['Host: localhost', ...fields], JSON.stringify(message)));
  return client;
}

const text = 'x'.repeat(100_000);

describe('progress and log messages', () => {
  test.each(FACES)('beyond half of unreadBytes are left out, and the answer comes, through $name', async ({ open }) => {
    const stage = makeStage();
    const reached = await open(stage.server, { limits: { unreadBytes: 1_000_000 } });
    const message = call(1, 'wait', {}, true);
    const asked = reached.ask({ headers: statelessHeaders(message), body: JSON.stringify(message) });
    const begun = await stage.begun();
    // All of it within one turn: nothing can be read meanwhile.
    for (let value = 1; value <= 1000; value++) begun.ctx.reportProgress(value, 1000, text);
    begun.end('done');
    const messages = await messagesOf(await asked.answer);
    expect(messages.length).toBeLessThan(10);
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    await reached.close();
  });

  test.each(FACES)('of one turn arrive all at whoever reads, through $name', async ({ open }) => {
    const stage = makeStage();
    const reached = await open(stage.server);
    const message = call(1, 'wait', {}, true);
    const asked = reached.ask({ headers: statelessHeaders(message), body: JSON.stringify(message) });
    const begun = await stage.begun();
    for (let value = 1; value <= 10_000; value++) begun.ctx.reportProgress(value, 10_000);
    begun.end('done');
    const messages = await messagesOf(await asked.answer);
    const told = messages.slice(0, -1).map((one) => (one as { params: { progress: number } }).params.progress);
    expect(told).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
    await reached.close();
  });
});

test('whoever reads none of the changes it listens to is cut off once too much waits for it', async () => {
  const { server } = makeStage();
  server.registerResource('test://r', { name: 'r' }, () => 'r');
  const reached = await node.open(server, { limits: { unreadBytes: 100_000, streams: 1 } });
  const listen = stateless(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['test://r'] } });
  const again = (): Promise<Answer> =>
    reached.send({ headers: statelessHeaders(listen), body: JSON.stringify(listen) });
  const client = await askAndStopReading(reached, listen);
  let next = await again();
  // There is room for one: the next gets in when the first is gone.
  while (next.status === 503) {
    for (let index = 0; index < 100; index++) server.resourceUpdated(`test://r/${index}/${text}`);
    next = await again();
  }
  expect(next.status).toBe(200);
  client.destroy();
  next.hangUp();
  await reached.close();
});

test('a client that takes nothing of what waits for 10 seconds is cut off', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { server } = makeStage();
  const reached = await web.open(server);
  const session = await openSession(reached);
  const stream = await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } });
  // The first event waits, which is seen half an interval of keep-alives later.
  vi.advanceTimersByTime(7500 + 9999);
  const other = await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } });
  expect([stream.status, other.status]).toEqual([200, 409]);
  vi.advanceTimersByTime(1);
  await expect(stream.next()).rejects.toThrow('broken off');
  const again = await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } });
  expect(again.status).toBe(200);
  await reached.close();
});

test('a client that takes something now and then is not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { server } = makeStage();
  const reached = await web.open(server);
  const session = await openSession(reached);
  const stream = await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } });
  for (let minutes = 0; minutes < 20; minutes++) {
    expect(await stream.next()).toBeDefined();
    vi.advanceTimersByTime(17_000);
  }
  stream.hangUp();
  await reached.close();
});
