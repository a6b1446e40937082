/** Streams with nothing to say, behind a proxy that cuts what has been silent for a minute. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadEngine } from '../../src/schema/check/engine-loader.ts';
import { type Answer, FACES, openSession, type Reached, web } from './faces.ts';
import { call, POST, stateless, statelessHeaders } from './messages.ts';
import { makeStage, type Stage } from './stage.ts';

const PATIENCE = 60_000;
const MINUTES = 20;

beforeEach(async () => {
  await loadEngine(); // Requests wait until it is loaded, in real time.
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Passes a stream on, and counts how long it has been silent. */
function throughProxy(answer: Promise<Answer>): { readonly longestSilence: () => number } {
  let last = Date.now();
  let longest = 0;
  const heard = (): void => {
    longest = Math.max(longest, Date.now() - last);
    last = Date.now();
  };
  void answer.then(async (stream) => {
    heard();
    while (await stream.next()) heard();
  });
  return { longestSilence: () => Math.max(longest, Date.now() - last) };
}

async function letPass(minutes: number): Promise<void> {
  for (let seconds = 0; seconds < minutes * 60; seconds += 5) {
    vi.advanceTimersByTime(5000);
    await settled();
  }
}

// What was written is read before time goes on.
async function settled(): Promise<void> {
  for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
}

const WAYS: [what: string, open: (reached: Reached, stage: Stage) => Promise<Promise<Answer>[]>][] = [
  [
    'listening',
    async (reached) => {
      const listen = stateless(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
      return [reached.send({ headers: statelessHeaders(listen), body: JSON.stringify(listen) })];
    },
  ],
  [
    'a session’s own stream',
    async (reached) => {
      const session = await openSession(reached);
      return [reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } })];
    },
  ],
  ['the old transport', async (reached) => [reached.send({ method: 'GET', headers: { accept: 'text/event-stream' } })]],
  [
    'a call that says nothing, in a session',
    async (reached, stage) => {
      const session = await openSession(reached);
      const answer = reached.send({ headers: { ...POST, ...session }, body: JSON.stringify(call(1, 'wait')) });
      await stage.begun();
      return [answer];
    },
  ],
  [
    'a call that says nothing, without one',
    async (reached, stage) => {
      const message = call(1, 'wait', {}, true);
      const answer = reached.send({ headers: statelessHeaders(message), body: JSON.stringify(message) });
      await stage.begun();
      return [answer];
    },
  ],
];

describe.each(WAYS)('%s', (_, start) => {
  test.each(FACES)(`lives for ${MINUTES} minutes behind a proxy that waits one, through $name`, async ({ open }) => {
    const stage = makeStage();
    const reached = await open(stage.server, { sse: true });
    const [answer] = (await start(reached, stage)) as [Promise<Answer>];
    const proxy = throughProxy(answer);
    await settled();
    await letPass(MINUTES);
    expect(proxy.longestSilence()).toBeLessThan(PATIENCE);
    expect((await answer).header('content-type')).toBe('text/event-stream');
    vi.useRealTimers();
    await reached.close();
  });
});

test('a stream that was gone on with lives, too, and its session with it', async () => {
  const stage = makeStage();
  const reached = await web.open(stage.server, { sessions: { idleMs: 5 * 60_000 } });
  const session = await openSession(reached);
  const asked = reached.ask({ headers: { ...POST, ...session }, body: JSON.stringify(call(1, 'wait')) });
  const begun = await stage.begun();
  begun.ctx.reportProgress(1);
  const first = await asked.answer;
  const primer = await first.next();
  first.hangUp();
  const headers = { ...session, accept: 'text/event-stream', 'last-event-id': primer?.id ?? '' };
  const answer = reached.send({ method: 'GET', headers });
  const proxy = throughProxy(answer);
  await settled();
  await letPass(MINUTES);
  expect(proxy.longestSilence()).toBeLessThan(PATIENCE);
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  expect((await reached.send({ headers: { ...POST, ...session }, body: JSON.stringify(ping) })).status).toBe(200);
  begun.end('done');
  vi.useRealTimers();
  await reached.close();
});

test('a call that takes less than the interval is answered in one piece, and one that takes longer shows a sign of life', async () => {
  const stage = makeStage();
  const reached = await web.open(stage.server);
  const message = call(1, 'wait', {}, true);
  const answer = reached.send({ headers: statelessHeaders(message), body: JSON.stringify(message) });
  const begun = await stage.begun();
  vi.advanceTimersByTime(14_999);
  begun.end('done');
  expect((await answer).header('content-type')).toBe('application/json');
  const silent = reached.send({ headers: statelessHeaders(message), body: JSON.stringify(message) });
  const second = await stage.begun();
  vi.advanceTimersByTime(15_000);
  expect((await silent).header('content-type')).toBe('text/event-stream');
  second.end('done');
  await reached.close();
});

test('"keepAliveMs" says how often; longer than timers can count is as long as they can', async () => {
  const stage = makeStage();
  for (const [keepAliveMs, comments] of [
    [1000, 9],
    [Number.POSITIVE_INFINITY, 0],
  ] as const) {
    const reached = await web.open(stage.server, { keepAliveMs });
    const session = await openSession(reached);
    const stream = await reached.send({ method: 'GET', headers: { ...session, accept: 'text/event-stream' } });
    const heard: string[] = [];
    void (async () => {
      for (let event = await stream.next(); event; event = await stream.next()) heard.push(event.text);
    })();
    await settled();
    for (let seconds = 0; seconds < 9; seconds++) {
      vi.advanceTimersByTime(1000);
      await settled();
    }
    expect(heard.filter((text) => /^: $/m.test(text)).length).toBe(comments);
    vi.useRealTimers();
    await reached.close();
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  }
});

test.each(WAYS.slice(0, 3))(
  '%s begins with the interval, for clients that notice a lost connection by it',
  async (_, start) => {
    const stage = makeStage();
    const reached = await web.open(stage.server, { sse: true, keepAliveMs: 2500.5 });
    const [answer] = (await start(reached, stage)) as [Promise<Answer>];
    const stream = await answer;
    const heard: string[] = [];
    void (async () => {
      for (let event = await stream.next(); event; event = await stream.next()) heard.push(event.text);
    })();
    for (let seconds = 0; seconds < 3; seconds++) {
      vi.advanceTimersByTime(1000);
      await settled();
    }
    expect(heard.join('\n').match(/^: keep-alive \d+$/gm)).toEqual([': keep-alive 2501']);
    vi.useRealTimers();
    await reached.close();
  },
);
