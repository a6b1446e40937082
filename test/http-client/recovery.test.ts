/** Servers that are away for a while: what fails meanwhile is told, and nothing is lost for good. */

import { connect } from 'mcpp/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeClocks, pauses, realClocks } from './pauses.ts';
import { type Answers, closeAll, eventually, rawServer, stateful, type Visit } from './raw-server.ts';

const unhandled = vi.fn();

beforeEach(() => {
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
  fakeClocks();
});

afterEach(async () => {
  realClocks();
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  await closeAll();
});

const CALL: Answers = { 'tools/call': (visit) => visit.result({ content: [] }) };

/** A server that knows only the session of the moment, and can be made to refuse `initialize`. */
function failing(): { answers: Answers; known: string; refuse: ((visit: Visit) => void) | undefined } {
  const { initialize, ...rest } = stateful();
  const server = {
    known: 's1',
    refuse: undefined as ((visit: Visit) => void) | undefined,
    answers: {
      ...rest,
      initialize: (visit: Visit) => (server.refuse ? server.refuse(visit) : initialize?.(visit)),
      'tools/call': (visit: Visit) =>
        visit.headers['mcp-session-id'] === server.known ? visit.result({ content: [] }) : visit.status(404),
    },
  };
  return server;
}

describe('a session that is lost while the server cannot open another', () => {
  test.each([
    ['502', (visit: Visit) => visit.status(502)],
    ['429', (visit: Visit) => visit.status(429)],
    ['a connection that breaks', (visit: Visit) => visit.response.destroy()],
  ])('for a moment, because of %s, is replaced with the next call', async (_what, refuse) => {
    const script = failing();
    const server = await rawServer(script.answers);
    const states: string[] = [];
    const onSessionReplaced = vi.fn();
    const mcp = await connect(server.url, { onSessionReplaced, onStateChange: (state) => states.push(state) });
    script.known = 's2';
    script.refuse = refuse;
    await expect(mcp.callTool('pay')).rejects.toMatchObject({ name: 'ConnectionError', code: 'session-lost' });
    expect(mcp.state).toBe('reconnecting');
    script.refuse = undefined;
    const call = mcp.callTool('pay');
    await vi.advanceTimersByTimeAsync(2000);
    expect(await call).toEqual({ content: [] });
    expect(states).toEqual(['ready', 'reconnecting', 'ready']);
    expect(onSessionReplaced).toHaveBeenCalledTimes(1);
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is given up after five tries in a minute', async () => {
    const script = failing();
    const server = await rawServer(script.answers);
    const mcp = await connect(server.url);
    script.known = 's2';
    script.refuse = (visit) => visit.status(503);
    await expect(mcp.callTool('pay')).rejects.toMatchObject({ code: 'session-lost', status: 503 });
    for (const [tries, pause] of [2000, 4000, 8000, 16_000].entries()) {
      expect(mcp.state).toBe('reconnecting');
      await eventually(() => pauses() === 1);
      await vi.advanceTimersByTimeAsync(pause);
      await eventually(() => server.to('initialize').length === tries + 3);
    }
    await eventually(() => mcp.state === 'failed');
    await expect(mcp.callTool('pay')).rejects.toMatchObject({ code: 'session-lost', status: 503 });
    await mcp.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([401, 403])('because of %i is given up at once', async (status) => {
    const script = failing();
    const server = await rawServer(script.answers);
    const mcp = await connect(server.url);
    script.known = 's2';
    script.refuse = (visit) => visit.status(status);
    await expect(mcp.callTool('pay')).rejects.toMatchObject({ code: 'session-lost', status });
    expect(mcp.state).toBe('failed');
    await mcp.close();
  });

  test('ends with the connection, while it waits for the next try', async () => {
    const script = failing();
    const server = await rawServer(script.answers);
    const mcp = await connect(server.url);
    script.known = 's2';
    script.refuse = (visit) => visit.status(502);
    await expect(mcp.callTool('pay')).rejects.toMatchObject({ code: 'session-lost' });
    const call = mcp.callTool('pay').catch((error: unknown) => error);
    await mcp.close();
    expect(await call).toMatchObject({ code: 'closed' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a server of HTTP+SSE that is restarted is found again without a call', async () => {
  let isUp = true;
  const up =
    (answer: (visit: Visit) => void) =>
    (visit: Visit): void =>
      isUp ? answer(visit) : void visit.response.destroy();
  const elsewhere = up((visit) => visit.status(405));
  const server = await rawServer({
    'server/discover': elsewhere,
    initialize: up((visit) => {
      if (!visit.path.startsWith('/messages')) return visit.status(405);
      visit.status(202);
      const serverInfo = { name: 'old', version: '1' };
      const answer = visit.answer({ protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo });
      server.to('GET').at(-1)?.event({ event: 'message', data: answer });
    }),
    GET: up((visit) => visit.event({ event: 'endpoint', data: '/messages' })),
  });
  const mcp = await connect(server.url);
  isUp = false;
  server.to('GET')[0]?.response.end();
  const before = server.visits.length;
  await eventually(() => server.visits.length > before && pauses() === 1);
  expect(mcp.state).toBe('reconnecting');
  isUp = true;
  await vi.advanceTimersByTimeAsync(2000);
  await eventually(() => mcp.state === 'ready');
  await mcp.close();
  expect(vi.getTimerCount()).toBe(0);
});

describe('the stream beside the requests', () => {
  test('shows that the session is lost also if it never brought anything', async () => {
    let isKnown = true;
    const server = await rawServer({
      ...stateful(),
      ...CALL,
      GET: (visit) => {
        if (!isKnown && visit.headers['mcp-session-id'] === 's1') visit.status(404);
        else visit.response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      },
    });
    const onSessionReplaced = vi.fn();
    const mcp = await connect(server.url, { onSessionReplaced });
    await eventually(() => server.to('GET').length === 1);
    await mcp.callTool('tool');
    isKnown = false;
    server.to('GET')[0]?.response.end();
    await eventually(() => pauses() === 1);
    await vi.advanceTimersByTimeAsync(1000);
    await eventually(() => onSessionReplaced.mock.calls.length === 1);
    await mcp.close();
  });

  test.each([400, 404, 405])('that is not there (%i) is told of once, if something is watched', async (status) => {
    const server = await rawServer({ ...stateful(), ...CALL, GET: (visit) => visit.status(status) });
    const onError = vi.fn();
    const mcp = await connect(server.url, { onError });
    await eventually(() => server.to('GET')[0]?.response.writableFinished === true);
    await mcp.callTool('tool');
    expect(onError).not.toHaveBeenCalled();
    await mcp.watch('tools', () => {});
    await mcp.watch('tools', () => {});
    await eventually(() => onError.mock.calls.length > 0);
    const message = `Changes are heard of only while a call runs, if at all: ${server.url} answered with HTTP status ${status} where it would tell them`;
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: 'failed', message })]]);
    await mcp.close();
  });

  test('that is refused for good is told of', async () => {
    const server = await rawServer({ ...stateful(), ...CALL, GET: (visit) => visit.status(403) });
    const onError = vi.fn();
    const mcp = await connect(server.url, { onError });
    await eventually(() => onError.mock.calls.length === 1);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'failed', cause: { status: 403 } });
    await mcp.close();
  });
});

test('closing does not wait for a notification that finds no session any more', async () => {
  const server = await rawServer({ ...stateful(), 'notifications/own': (visit) => visit.status(404) });
  const mcp = await connect(server.url);
  mcp.notify('notifications/own');
  // Nobody moves the clock: what waited for it would wait for ever.
  await mcp.close();
  expect(server.to('DELETE')).toHaveLength(1);
});
