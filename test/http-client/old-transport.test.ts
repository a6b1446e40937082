/** HTTP+SSE of 2024-11-05: where messages are not taken, a stream may say where they are. */

import { type Connection, type ConnectOptions, connect } from 'mcpp/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Answers, closeAll, eventually, type RawServer, rawServer, type Visit } from './raw-server.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

interface Old {
  readonly server: RawServer;
  /** The stream that is open. */
  stream(): Visit | undefined;
  /** Says something on it. */
  say(message: object): void;
  /** Asked for the status to refuse each GET with, if any. */
  refuseStream(status: () => number | undefined, headers?: Readonly<Record<string, string>>): void;
}

/** A server of that kind: messages go to /messages, answers come on the stream. */
async function oldServer(
  answers: Answers = {},
  endpoint = '/messages?session=1',
  elsewhere: (visit: Visit) => void = (visit) => visit.status(405),
): Promise<Old> {
  const stream = (): Visit | undefined => server.to('GET').at(-1);
  const say = (message: object): void => stream()?.event({ event: 'message', data: message });
  const result = (value: object) => (visit: Visit) => {
    visit.status(202);
    say({ jsonrpc: '2.0', id: visit.message.id, result: value });
  };
  const taken: Answers = {
    initialize: result({
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '1' },
    }),
    'tools/call': result({ content: [{ type: 'text', text: 'old' }] }),
    ping: result({}),
    ...answers,
  };
  const there = Object.entries(taken).map(([method, answer]) => [
    method,
    (visit: Visit) => (visit.path.startsWith('/messages') ? answer(visit) : elsewhere(visit)),
  ]);
  let refusal: () => number | undefined = () => undefined;
  let refusalHeaders: Readonly<Record<string, string>> = {};
  const server = await rawServer({
    ...Object.fromEntries(there),
    GET: (visit) => {
      const status = refusal();
      if (status === undefined) visit.event({ event: 'endpoint', data: endpoint });
      else visit.status(status, refusalHeaders);
    },
  });
  const refuseStream: Old['refuseStream'] = (status, headers = {}) => {
    refusal = status;
    refusalHeaders = headers;
  };
  return { server, stream, say, refuseStream };
}

async function connected(old: Pick<Old, 'server'>, options: ConnectOptions = {}): Promise<Connection> {
  return connect(`${old.server.origin}/sse`, options);
}

describe('a server with a stream', () => {
  test.each([400, 404, 405])(
    'is found when messages are refused with %i and an error without an id',
    async (status) => {
      const error = { code: -32000, message: 'Method not allowed.' };
      const old = await oldServer({}, undefined, (visit) => visit.json({ jsonrpc: '2.0', id: null, error }, status));
      const mcp = await connected(old);
      expect(mcp.revision).toBe('2024-11-05');
      await mcp.close();
    },
  );

  test('is found when messages are refused, and speaks from then on there', async () => {
    const old = await oldServer();
    const mcp = await connected(old, { headers: { authorization: 'Bearer t' } });
    expect(mcp.revision).toBe('2024-11-05');
    expect(await mcp.callTool('tool', {}, { headers: { 'x-own': '1' } })).toMatchObject({ content: [{ text: 'old' }] });
    const seen = old.server.visits.map(({ method, path, message }) =>
      `${method} ${path} ${message.method ?? ''}`.trim(),
    );
    expect(seen).toEqual([
      'POST /sse server/discover',
      'POST /sse initialize',
      'GET /sse',
      'POST /messages?session=1 initialize',
      'POST /messages?session=1 notifications/initialized',
      'POST /messages?session=1 tools/call',
    ]);
    for (const { headers } of old.server.visits) expect(headers.authorization).toBe('Bearer t');
    expect(old.server.to('tools/call')[0]?.headers).toMatchObject({ 'x-own': '1' });
    expect(old.stream()?.headers.accept).toBe('text/event-stream');
    await mcp.close();
    await old.stream()?.over;
    await vi.waitFor(async () => expect(await old.server.connections()).toBe(0));
  });

  test('may ask, and is answered at the endpoint', async () => {
    const old = await oldServer();
    const mcp = await connected(old, { roots: [{ uri: 'file:///a' }] });
    old.say({ jsonrpc: '2.0', id: 'r', method: 'roots/list' });
    await eventually(() => old.server.to('POST').length === 1);
    expect(old.server.to('POST')[0]).toMatchObject({
      path: '/messages?session=1',
      message: { id: 'r', result: { roots: [{ uri: 'file:///a' }] } },
    });
    await mcp.close();
  });

  test('is told of a call that is given up', async () => {
    const old = await oldServer({ 'tools/call': (visit) => visit.status(202) });
    const mcp = await connected(old);
    const giveUp = new AbortController();
    const call = mcp.callTool('slow', {}, { signal: giveUp.signal });
    await eventually(() => old.server.to('tools/call').length === 1);
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await eventually(() => old.server.to('notifications/cancelled').length === 1);
    await mcp.close();
  });

  test('that does not take a message rejects the call', async () => {
    const old = await oldServer({ 'tools/call': (visit) => visit.status(500) });
    const mcp = await connected(old);
    await expect(mcp.callTool('tool')).rejects.toMatchObject({ code: 'http-error', status: 500 });
    await mcp.close();
  });

  test('that names an endpoint of another origin is refused', async () => {
    const elsewhere = await rawServer({});
    const old = await oldServer({}, `${elsewhere.origin}/messages`);
    await expect(connected(old)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('an endpoint that is not on its own origin'),
    });
    expect(elsewhere.visits).toEqual([]);
    await old.stream()?.over;
  });

  test('that loses its stream has lost the session: another is opened, and what can be repeated is', async () => {
    const old = await oldServer({
      'resources/read': (visit) => {
        visit.status(202);
        if (old.server.to('GET').length === 1) old.stream()?.response.end();
        else old.say({ jsonrpc: '2.0', id: visit.message.id, result: { contents: [] } });
      },
    });
    const onSessionReplaced = vi.fn();
    const mcp = await connected(old, { onSessionReplaced });
    expect(await mcp.readResource('file:///a')).toMatchObject({ contents: [] });
    expect(onSessionReplaced).toHaveBeenCalledTimes(1);
    expect(old.server.to('GET')).toHaveLength(2);
    await mcp.close();
  });

  test('takes calls that may have been carried out with it', async () => {
    const old = await oldServer({
      'tools/call': (visit) => {
        visit.status(202);
        old.stream()?.response.end();
      },
    });
    const mcp = await connected(old);
    await expect(mcp.callTool('pay')).rejects.toMatchObject({ code: 'session-lost' });
    expect(await mcp.ping()).toBeUndefined();
    await mcp.close();
  });
});

describe('a session that the server does not know any more (404)', () => {
  const sessionOf = (visit: Visit): number => Number(/session=(\d+)/.exec(visit.path)?.[1]);

  /** Each stream opens a session of its own; the first `forgotten` ones are not known any more. */
  async function numbered(forgotten: () => number, answers: Answers = {}): Promise<Pick<Old, 'server'>> {
    const result = (value: object) => (visit: Visit) => {
      visit.status(202);
      server.to('GET')[sessionOf(visit) - 1]?.event({ event: 'message', data: visit.answer(value) });
    };
    const serverInfo = { name: 'old', version: '1' };
    const all: Answers = {
      initialize: result({ protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo }),
      'tools/call': result({ content: [{ type: 'text', text: 'old' }] }),
      ...answers,
    };
    const there = Object.entries(all).map(([method, answer]) => [
      method,
      (visit: Visit) => {
        if (!visit.path.startsWith('/messages')) visit.status(405);
        else if (sessionOf(visit) <= forgotten()) visit.status(404);
        else answer(visit);
      },
    ]);
    const server = await rawServer({
      ...Object.fromEntries(there),
      GET: (visit) => visit.event({ event: 'endpoint', data: `/messages?session=${server.to('GET').length}` }),
    });
    return { server };
  }

  test('is replaced, and the call that showed it is sent again, since it was not carried out', async () => {
    let forgotten = 0;
    const old = await numbered(() => forgotten);
    const onSessionReplaced = vi.fn();
    const states: string[] = [];
    const mcp = await connected(old, { onSessionReplaced, onStateChange: (state) => states.push(state) });
    forgotten = 1;
    expect(await mcp.callTool('pay')).toMatchObject({ content: [{ text: 'old' }] });
    expect(await mcp.callTool('pay')).toMatchObject({ content: [{ text: 'old' }] });
    expect(onSessionReplaced).toHaveBeenCalledTimes(1);
    expect(states).toEqual(['ready', 'reconnecting', 'ready']);
    expect(old.server.to('tools/call').map(({ path }) => path)).toEqual([
      '/messages?session=1',
      '/messages?session=2',
      '/messages?session=2',
    ]);
    await old.server.to('GET')[0]?.over;
    await mcp.close();
  });

  test('is replaced once for many calls, and all of them are sent again', async () => {
    let forgotten = 0;
    const old = await numbered(() => forgotten);
    const mcp = await connected(old);
    forgotten = 1;
    const results = await Promise.all(Array.from({ length: 20 }, () => mcp.callTool('pay')));
    expect(results).toHaveLength(20);
    expect(old.server.to('GET')).toHaveLength(2);
    await mcp.close();
  });

  test('is noticed by a notification, which is reported to nobody', async () => {
    let forgotten = 0;
    const old = await numbered(() => forgotten, { 'notifications/own': (visit) => visit.status(202) });
    const onError = vi.fn();
    const onSessionReplaced = vi.fn();
    const mcp = await connected(old, { onError, onSessionReplaced });
    forgotten = 1;
    mcp.notify('notifications/own');
    await vi.waitFor(() => expect(onSessionReplaced).toHaveBeenCalledTimes(1));
    expect(await mcp.callTool('pay')).toMatchObject({ content: [{ text: 'old' }] });
    expect(onError).not.toHaveBeenCalled();
    await mcp.close();
  });

  test('is tried again if the next one is lost before it is open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    let forgotten = 0;
    const old = await numbered(() => forgotten);
    const mcp = await connected(old);
    forgotten = 2;
    await expect(mcp.callTool('pay')).rejects.toMatchObject({ code: 'session-lost' });
    expect(mcp.state).toBe('reconnecting');
    const call = mcp.callTool('pay');
    await vi.advanceTimersByTimeAsync(2000);
    expect(await call).toMatchObject({ content: [{ text: 'old' }] });
    await mcp.close();
  });
});

describe('a GET for the next stream', () => {
  test.each([408, 425, 429, 500, 502, 503, 504])(
    'that is answered with %i once is sent again, and the connection recovers',
    async (status) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
      let isBusy = false;
      const old = await oldServer();
      const mcp = await connected(old);
      const [first] = old.server.to('GET');
      old.refuseStream(() => {
        const refused = isBusy ? status : undefined;
        isBusy = false;
        return refused;
      });
      isBusy = true;
      first?.response.end();
      await eventually(() => old.server.to('GET').length === 2);
      expect(mcp.state).toBe('reconnecting');
      await vi.waitFor(async () => {
        await vi.advanceTimersByTimeAsync(500);
        expect(mcp.state).toBe('ready');
      });
      expect(await mcp.callTool('tool')).toMatchObject({ content: [{ text: 'old' }] });
      await mcp.close();
    },
  );

  test('that is answered with 503 and Retry-After is sent again then, also when connecting', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const old = await oldServer();
    old.refuseStream(() => (old.server.to('GET').length === 1 ? 503 : undefined), { 'retry-after': '3' });
    const connecting = connected(old);
    await eventually(() => old.server.to('GET').length === 1);
    await vi.advanceTimersByTimeAsync(2900);
    expect(old.server.to('GET')).toHaveLength(1);
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(100);
      expect(old.server.to('GET')).toHaveLength(2);
    });
    await (await connecting).close();
  });

  test('that is refused while connecting rejects with what the server said', async () => {
    const old = await oldServer();
    old.refuseStream(() => 502);
    await expect(connected(old)).rejects.toMatchObject({
      code: 'http-error',
      status: 502,
      message: `${old.server.origin}/sse answered with HTTP status 502: a proxy in front of the server cannot reach it`,
    });
  });
});

describe('a URL that is nothing of the kind', () => {
  test.each([400, 404, 405])('is said to be wrong: %i to everything', async (status) => {
    const refuse = (visit: Visit): void => visit.status(status);
    const server = await rawServer({ 'server/discover': refuse, initialize: refuse, GET: refuse });
    await expect(connect(server.url)).rejects.toMatchObject({
      code: 'http-error',
      status,
      message: `${server.url} answered with HTTP status ${status}. There is no stream of events either: is it the URL of an MCP server?`,
    });
    expect(server.visits.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
  });

  test.each([400, 404, 405])('is said to be wrong with the words of the server: %i', async (status) => {
    const refuse = (visit: Visit): void =>
      visit.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Nothing here' } }, status);
    const server = await rawServer({ 'server/discover': refuse, initialize: refuse, GET: refuse });
    await expect(connect(server.url)).rejects.toMatchObject({
      code: 'http-error',
      status,
      message: `${server.url} answered with HTTP status ${status}: Nothing here. There is no stream of events either: is it the URL of an MCP server?`,
    });
  });

  test('is said to be wrong when it is a page', async () => {
    const page = (visit: Visit): void => {
      visit.response.writeHead(visit.method === 'GET' ? 200 : 404, { 'content-type': 'text/html' }).end('<p>Hi</p>');
    };
    const server = await rawServer({ 'server/discover': page, initialize: page, GET: page });
    await expect(connect(server.url)).rejects.toMatchObject({ code: 'http-error', status: 404 });
  });

  test('that never names an endpoint is given up in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const server = await rawServer({ GET: (visit) => visit.event({ event: 'other', data: 'x' }) });
    const connecting = connect(server.url, { connectTimeout: 5000 }).catch((error: unknown) => error);
    await eventually(() => server.to('GET').length === 1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await connecting).toMatchObject({ code: 'timeout' });
    await server.to('GET')[0]?.over;
    expect(vi.getTimerCount()).toBe(0);
  });
});
