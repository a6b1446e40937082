/** A server that forgot the session: one new session, and what was not carried out is sent again. */

import { connect } from 'mcpp/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Answers, closeAll, eventually, rawServer, stateful, type Visit } from './raw-server.ts';

const unhandled = vi.fn();

beforeEach(() => {
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});

afterEach(async () => {
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  await closeAll();
});

/** Serves only those sessions that begin with `first` or later; the others are not known. */
function only(answers: Answers, isKnown: (session: string) => boolean): Answers {
  const guarded = Object.entries(answers).map(([method, answer]) => [
    method,
    (visit: Visit) => {
      const id = visit.headers['mcp-session-id'];
      if (id === undefined || isKnown(String(id))) answer(visit);
      else visit.json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, 404);
    },
  ]);
  return Object.fromEntries(guarded);
}

const CALL: Answers = { 'tools/call': (visit) => visit.result({ content: [{ type: 'text', text: 'done' }] }) };

describe('a session that is lost', () => {
  test('is replaced once, the call is sent again, and that is told', async () => {
    let known = 's1';
    const server = await rawServer(only({ ...stateful(), ...CALL }, (id) => id === known));
    const onSessionReplaced = vi.fn();
    const states: string[] = [];
    const mcp = await connect(server.url, { onSessionReplaced, onStateChange: (state) => states.push(state) });
    await mcp.callTool('pay');
    known = 's2';
    // It was not carried out, so it does not matter what it does.
    expect(await mcp.callTool('pay')).toMatchObject({ content: [{ text: 'done' }] });
    expect(onSessionReplaced).toHaveBeenCalledTimes(1);
    expect(states).toEqual(['ready', 'reconnecting', 'ready']);
    expect(server.to('initialize')).toHaveLength(2);
    expect(server.to('initialize')[1]?.headers['mcp-session-id']).toBeUndefined();
    expect(server.to('server/discover')).toHaveLength(1);
    expect(server.to('tools/call').map(({ headers }) => headers['mcp-session-id'])).toEqual(['s1', 's1', 's2']);
    await mcp.close();
    expect(server.to('DELETE').map(({ headers }) => headers['mcp-session-id'])).toEqual(['s2']);
  });

  test('by many calls at once is replaced once, and all of them are sent again', async () => {
    let known = 's1';
    const server = await rawServer(only({ ...stateful(), ...CALL }, (id) => id === known));
    const onSessionReplaced = vi.fn();
    const mcp = await connect(server.url, { onSessionReplaced });
    await mcp.callTool('pay');
    known = 's2';
    const results = await Promise.all(Array.from({ length: 20 }, () => mcp.callTool('pay')));
    expect(results).toHaveLength(20);
    expect(server.to('initialize')).toHaveLength(2);
    expect(onSessionReplaced).toHaveBeenCalledTimes(1);
    await mcp.close();
  });

  test('takes with it calls that may have been carried out, but for those that can be repeated', async () => {
    let known = 's1';
    const server = await rawServer(
      only(
        {
          ...stateful(),
          // Begun, and not answered in the first session.
          'tools/call': (visit) =>
            visit.headers['mcp-session-id'] === 's1' ? visit.event({ data: '' }) : visit.result({ content: [] }),
          'resources/read': (visit) =>
            visit.headers['mcp-session-id'] === 's1' ? visit.event({ data: '' }) : visit.result({ contents: [] }),
          ping: (visit) => visit.result({}),
        },
        (id) => id === known,
      ),
    );
    const mcp = await connect(server.url);
    const pay = mcp.callTool('pay').catch((error: unknown) => error);
    const look = mcp.callTool('look', {}, { idempotent: true });
    const read = mcp.readResource('file:///a');
    await vi.waitFor(() => expect(server.visits.filter(({ response }) => response.headersSent)).toHaveLength(7));
    known = 's2';
    await mcp.ping();
    expect(await pay).toMatchObject({ code: 'session-lost', status: undefined });
    expect(await look).toMatchObject({ content: [] });
    expect(await read).toMatchObject({ contents: [] });
    await mcp.close();
  });

  test('is watched again in the next one, with everything to be read anew', async () => {
    let known = 's1';
    const server = await rawServer(
      only({ ...stateful(), ...CALL, 'resources/subscribe': (visit) => visit.result({}) }, (id) => id === known),
    );
    const mcp = await connect(server.url);
    const events: unknown[] = [];
    await mcp.watch('file:///a', (event) => events.push(event));
    await mcp.watch('tools', (event) => events.push(event));
    known = 's2';
    await mcp.callTool('pay');
    await vi.waitFor(() => expect(events).toHaveLength(2));
    expect(events).toContainEqual({ type: 'resource', uri: 'file:///a', resync: true });
    expect(events).toContainEqual({ type: 'tools', resync: true });
    expect(server.to('resources/subscribe').map(({ headers }) => headers['mcp-session-id'])).toEqual(['s1', 's2']);
    await mcp.close();
  });

  test('again and again is replaced once, and then fails everything', async () => {
    let isUp = true;
    const server = await rawServer({
      ...only({ ...stateful(), ...CALL }, () => isUp),
      'notifications/initialized': (visit) => visit.status(202),
    });
    const mcp = await connect(server.url);
    await mcp.callTool('pay');
    isUp = false;
    const calls = Array.from({ length: 5 }, () => mcp.callTool('pay').catch((error: unknown) => error));
    for (const call of calls) expect(await call).toMatchObject({ code: 'session-lost' });
    expect(server.to('initialize')).toHaveLength(2);
    expect(mcp.state).toBe('failed');
    await expect(mcp.callTool('pay')).rejects.toMatchObject({ code: 'session-lost' });
    await mcp.close();
  });

  test('while the server cannot open another is one error for all callers', async () => {
    let isUp = true;
    const { initialize, ...rest } = stateful();
    const server = await rawServer(
      only(
        {
          ...rest,
          ...CALL,
          initialize: (visit) => (isUp ? initialize?.(visit) : visit.status(500)),
        },
        () => isUp,
      ),
    );
    const mcp = await connect(server.url);
    await mcp.callTool('pay');
    isUp = false;
    const calls = await Promise.all(
      Array.from({ length: 3 }, () => mcp.callTool('pay').catch((error: unknown) => error)),
    );
    for (const error of calls) expect(error).toMatchObject({ code: 'session-lost', status: 500 });
    expect(new Set(calls).size).toBe(1);
    await mcp.close();
  });

  test('is noticed on the stream beside the requests as well', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    try {
      let known = 's1';
      const server = await rawServer(
        only({ ...stateful(), ...CALL, GET: (visit) => visit.event({ id: '1', data: '' }) }, (id) => id === known),
      );
      const onSessionReplaced = vi.fn();
      const mcp = await connect(server.url, { onSessionReplaced });
      await vi.waitFor(() => expect(server.to('GET')).toHaveLength(1));
      await mcp.callTool('pay');
      known = 's2';
      server.to('GET')[0]?.response.end();
      await eventually(() => vi.getTimerCount() > 0);
      await vi.advanceTimersByTimeAsync(1000);
      vi.useRealTimers();
      await vi.waitFor(() => expect(onSessionReplaced).toHaveBeenCalledTimes(1));
      await mcp.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('is noticed by a notification, which is told to nobody', async () => {
    let known = 's1';
    const server = await rawServer(
      only({ ...stateful(), ...CALL, 'notifications/own': (visit) => visit.status(202) }, (id) => id === known),
    );
    const onSessionReplaced = vi.fn();
    const onError = vi.fn();
    const mcp = await connect(server.url, { onSessionReplaced, onError });
    known = 's2';
    mcp.notify('notifications/own');
    await vi.waitFor(() => expect(onSessionReplaced).toHaveBeenCalledTimes(1));
    await mcp.callTool('pay');
    await mcp.close();
    expect(onError).not.toHaveBeenCalled();
  });

  test('is not what a method is that does not exist', async () => {
    const server = await rawServer({ ...stateful(), 'no/such': (visit) => visit.error(-32601, undefined, 404) });
    const mcp = await connect(server.url);
    await expect(mcp.request('no/such')).rejects.toMatchObject({ name: 'RpcError', code: -32601 });
    expect(server.to('initialize')).toHaveLength(1);
    await mcp.close();
  });

  test('without an id is no session, so 404 is just a status', async () => {
    const server = await rawServer({
      ...stateful('2025-11-25', false),
      'tools/call': (visit) => visit.status(404),
    });
    const mcp = await connect(server.url);
    await expect(mcp.callTool('tool')).rejects.toMatchObject({ code: 'http-error', status: 404 });
    expect(server.to('initialize')).toHaveLength(1);
    await mcp.close();
  });
});
