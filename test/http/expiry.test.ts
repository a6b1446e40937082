/** A token expires while something is open: what only listens ends, what runs goes on, and a fresh token goes on with it. */

import type { Authenticate } from 'mcpp/http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nextMessage } from './events.ts';
import { type Answer, FACES, openSession, post, type Reached } from './faces.ts';
import { call, type Headers, initialize, notification, POST, stateless, statelessHeaders } from './messages.ts';
import { makeStage, type Stage } from './stage.ts';

const MINUTE = 60_000;
const EVENTS = { accept: 'text/event-stream' };

let begin = 0;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  begin = Date.now();
});
afterEach(() => void vi.useRealTimers());

/** Lets Alice in; the token says how many minutes it is good for from the beginning of the test. */
const auth: Authenticate = (credentials) => {
  const minutes = Number(credentials?.token);
  const expiresAt = begin + minutes * MINUTE;
  return expiresAt > Date.now() ? { subject: 'alice', expiresAt } : { status: 401 };
};
const as = (minutes: number): Headers => ({ authorization: `Bearer ${minutes}` });

/** Everything that is still to come. */
async function rest(answer: Answer): Promise<string[]> {
  const events: string[] = [];
  for (let event = await answer.next(); event; event = await answer.next()) if (event.data) events.push(event.data);
  return events;
}

describe.each(FACES)('through $name', ({ open }) => {
  let reached: Reached;
  let stage: Stage;
  beforeEach(async () => {
    stage = makeStage();
    reached = await open(stage.server, { auth, sse: true });
  });
  afterEach(async () => {
    await reached.close();
    expect(stage.errors).toEqual([]);
    // What waits for the end of a token waits for nothing any more.
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0), { timeout: 1000 });
  });

  test('the stream of a session ends; its client comes back for what it missed', async () => {
    const session = await openSession(reached, { headers: as(5) });
    const stream = await reached.send({ method: 'GET', headers: { ...EVENTS, ...session } });
    const primed = await stream.next();
    vi.advanceTimersByTime(5 * MINUTE - 1);
    stage.server.registerTool('new', {}, () => '');
    expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/tools/list_changed' });
    vi.advanceTimersByTime(1);
    expect(await rest(stream)).toEqual([]);
    // In between nobody listens.
    stage.server.tools.remove('new');
    await Promise.resolve();
    const stale = await reached.send({ method: 'GET', headers: { ...EVENTS, ...session } });
    expect(stale.status).toBe(401);
    const fresh = { ...EVENTS, ...session, ...as(10), 'last-event-id': primed?.id ?? '' };
    const again = await reached.send({ method: 'GET', headers: fresh });
    expect(again.status).toBe(200);
    for (let n = 0; n < 2; n++) {
      expect(await nextMessage(again)).toMatchObject({ method: 'notifications/tools/list_changed' });
    }
    again.hangUp();
    // The events of the session would be kept for a while.
    await reached.send({ method: 'DELETE', headers: { ...session, ...as(10) } });
  });

  test('the session itself stays, and what runs in it goes on', async () => {
    const session = await openSession(reached, { headers: as(5) });
    const asked = reached.ask({ headers: { ...POST, ...session }, body: JSON.stringify(call(1, 'wait')) });
    const running = await stage.begun();
    vi.advanceTimersByTime(6 * MINUTE);
    expect(running.ctx.signal.aborted).toBe(false);
    running.end('done');
    expect(await (await asked.answer).text()).toContain('done');
    const later = await post(reached, call(2, 'echo', { text: 'still' }), { ...session, ...as(10) });
    expect([later.status, await later.text()]).toEqual([200, expect.stringContaining('still')]);
  });

  test('"subscriptions/listen" ends with its answer; a call of the same revision goes on', async () => {
    const listen = stateless('l', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const stream = await post(reached, listen, { ...statelessHeaders(listen), ...as(5) });
    expect(await nextMessage(stream)).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    const wait = call(1, 'wait', {}, true);
    const headers = { ...POST, ...statelessHeaders(wait), ...as(5) };
    const asked = reached.ask({ headers, body: JSON.stringify(wait) });
    const running = await stage.begun();
    vi.advanceTimersByTime(5 * MINUTE);
    expect((await rest(stream)).map((one) => JSON.parse(one))).toEqual([
      expect.objectContaining({ id: 'l', result: expect.anything() }),
    ]);
    expect(running.ctx.signal.aborted).toBe(false);
    running.end('done');
    expect(await (await asked.answer).text()).toContain('done');
  });

  test('whoever hangs up before is forgotten', async () => {
    const session = await openSession(reached, { headers: as(5) });
    const listen = stateless('l', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const streams = [
      await reached.send({ method: 'GET', headers: { ...EVENTS, ...session } }),
      await reached.send({ method: 'GET', headers: { ...EVENTS, ...as(5) } }),
      await post(reached, listen, { ...statelessHeaders(listen), ...as(5) }),
    ];
    for (const stream of streams) await stream.next();
    for (const stream of streams) stream.hangUp();
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0), { timeout: 1000 });
  });

  describe('the old transport', () => {
    async function openLine(minutes: number) {
      const stream = await reached.send({ method: 'GET', headers: { ...EVENTS, ...as(minutes) } });
      const target = (await stream.next())?.data ?? '';
      const say = (message: unknown, good: number): Promise<Answer> =>
        reached.send({ target, headers: { ...POST, ...as(good) }, body: JSON.stringify(message) });
      await say(initialize('2024-11-05'), minutes);
      await nextMessage(stream);
      await say(notification('notifications/initialized'), minutes);
      return { stream, say };
    }

    test('its stream ends', async () => {
      const { stream } = await openLine(5);
      vi.advanceTimersByTime(5 * MINUTE);
      expect(await rest(stream)).toEqual([]);
    });

    test('a fresh token in a POST is one for the stream, too', async () => {
      const { stream, say } = await openLine(5);
      vi.advanceTimersByTime(4 * MINUTE);
      await say(call(1, 'echo', { text: 'a' }), 10);
      expect(await nextMessage(stream)).toMatchObject({ id: 1 });
      vi.advanceTimersByTime(4 * MINUTE);
      await say(call(2, 'echo', { text: 'b' }), 10);
      expect(await nextMessage(stream)).toMatchObject({ id: 2 });
      vi.advanceTimersByTime(2 * MINUTE);
      expect(await rest(stream)).toEqual([]);
    });

    test('what runs is answered before it ends; nothing new is begun', async () => {
      const { stream, say } = await openLine(5);
      await say(call(1, 'wait'), 5);
      const running = await stage.begun();
      vi.advanceTimersByTime(5 * MINUTE);
      // The timer has found its line.
      await Promise.resolve();
      await say(call(2, 'echo'), 10);
      expect(await nextMessage(stream)).toMatchObject({ id: 2, error: { message: 'The token has expired' } });
      expect(running.ctx.signal.aborted).toBe(false);
      running.end('done');
      expect((await rest(stream)).map((one) => JSON.parse(one))).toEqual([expect.objectContaining({ id: 1 })]);
    });
  });
});
