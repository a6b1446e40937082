/** Which revision a server speaks, found out over HTTP. */

import { connect } from 'mcpp/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Answers, closeAll, eventually, type RawServer, rawServer, stateful, stateless } from './raw-server.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

const asked = (server: RawServer): (string | undefined)[] =>
  server.visits.filter(({ method }) => method === 'POST').map(({ message }) => message.method);
const OLD = ['server/discover', 'initialize', 'notifications/initialized'];

describe('an older server is greeted with initialize when it answers server/discover with', () => {
  const answers: Answers = {
    '400 and nothing': (visit) => visit.status(400),
    '404 and a page': (visit) => visit.response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no</p>'),
    '405': (visit) => visit.status(405),
    '400 and JSON that is no JSON-RPC': (visit) => visit.json({ error: 'no session' }, 400),
    '400 and an error without an id': (visit) =>
      visit.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: no session id' } }, 400),
    '404 and method not found': (visit) => visit.error(-32601, undefined, 404),
    '200 and method not found': (visit) => visit.error(-32601),
    '200 and invalid params': (visit) => visit.error(-32602),
    '400 and the older versions it speaks': (visit) =>
      visit.error(-32022, { supported: ['2025-11-25'], requested: '2026-07-28' }, 400),
    '400, no id and the older versions it speaks': (visit) => {
      const data = { supported: ['2025-11-25'], requested: '2026-07-28' };
      visit.json({ jsonrpc: '2.0', id: null, error: { code: -32022, message: 'no', data } }, 400);
    },
    '500 and method not found': (visit) => visit.error(-32601, undefined, 500),
    '500 and an internal error': (visit) => visit.error(-32603, undefined, 500),
    '500 and an error without an id': (visit) =>
      visit.json({ jsonrpc: '2.0', id: null, error: { code: -32603, message: 'Internal error' } }, 500),
    '200 and a result that says nothing': (visit) => visit.result({}),
    'an error on a stream': (visit) => {
      visit.event({ data: { jsonrpc: '2.0', id: visit.message.id, error: { code: -32601, message: 'no' } } });
      visit.response.end();
    },
  };

  test.each(Object.entries(answers))('%s', async (_what, discover) => {
    const server = await rawServer({ ...stateful(), 'server/discover': discover });
    const mcp = await connect(server.url);
    expect(mcp.revision).toBe('2025-11-25');
    expect(asked(server)).toEqual(OLD);
    await mcp.close();
  });
});

describe('nothing follows of the revision, and connecting fails, from', () => {
  const answers: Answers = {
    401: (visit) => visit.error(-32000, undefined, 401),
    403: (visit) => visit.status(403),
    429: (visit) => visit.status(429),
    500: (visit) => visit.json({ error: 'Internal Server Error' }, 500),
    502: (visit) => visit.response.writeHead(502, { 'content-type': 'text/html' }).end('bad gateway'),
    503: (visit) => visit.error(-32601, undefined, 503),
    504: (visit) => visit.error(-32601, undefined, 504),
  };

  test.each(Object.entries(answers))('status %s', async (status, discover) => {
    const server = await rawServer({ ...stateful(), 'server/discover': discover });
    await expect(connect(server.url)).rejects.toMatchObject({ code: 'http-error', status: Number(status) });
    expect(asked(server)).toEqual(['server/discover']);
  });

  test('a reply that is malformed, which is said with its place', async () => {
    const server = await rawServer({
      ...stateful(),
      'server/discover': (visit) =>
        visit.result({ resultType: 'complete', supportedVersions: 'all', capabilities: {} }),
    });
    await expect(connect(server.url)).rejects.toMatchObject({
      code: 'malformed',
      message: 'Malformed reply to server/discover: /result/supportedVersions must be an array of strings',
    });
  });

  test('a connection that breaks', async () => {
    const server = await rawServer({ ...stateful(), 'server/discover': (visit) => visit.response.destroy() });
    await expect(connect(server.url)).rejects.toMatchObject({ code: 'closed' });
    expect(asked(server)).toEqual(['server/discover']);
  });

  test('errors only a server of today has', async () => {
    const server = await rawServer({
      ...stateful(),
      'server/discover': (visit) => visit.error(-32020, undefined, 400),
    });
    await expect(connect(server.url)).rejects.toMatchObject({ name: 'RpcError', code: -32020 });
    expect(asked(server)).toEqual(['server/discover']);
  });

  test.each([-32020, -32021])('these without an id, too: %i', async (code) => {
    const server = await rawServer({
      ...stateful(),
      'server/discover': (visit) => visit.json({ jsonrpc: '2.0', id: null, error: { code, message: 'no' } }, 400),
    });
    await expect(connect(server.url)).rejects.toMatchObject({ name: 'RpcError', code });
    expect(asked(server)).toEqual(['server/discover']);
  });

  test('a server that is not there', async () => {
    const server = await rawServer({});
    await server.close();
    await expect(connect(server.url)).rejects.toMatchObject({
      code: 'unreachable',
      message: `Cannot reach ${server.url}: nothing listens there: is the server running, and is it this port? (ECONNREFUSED)`,
    });
  });
});

describe('silence', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  });

  test('is waited for as long as connecting may take, and is then an error', async () => {
    const server = await rawServer({ ...stateful(), 'server/discover': () => {} });
    const connecting = connect(server.url).catch((error: unknown) => error);
    await eventually(() => server.visits.length === 1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked(server)).toEqual(['server/discover']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await connecting).toMatchObject({ code: 'timeout' });
    await server.visits[0]?.over;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the greeting', () => {
  test('asks once more with the version a server names', async () => {
    let asks = 0;
    const server = await rawServer({
      'server/discover': (visit) =>
        asks++ === 0
          ? visit.error(-32022, { supported: ['2026-07-28'], requested: '2026-07-28' }, 400)
          : stateless['server/discover']?.(visit),
    });
    const mcp = await connect(server.url);
    expect(mcp.revision).toBe('2026-07-28');
    expect(asked(server)).toEqual(['server/discover', 'server/discover']);
    await mcp.close();
  });

  test('needs no probe where a revision was chosen, or is known', async () => {
    const server = await rawServer(stateful());
    const legacy = await connect(server.url, { revision: 'legacy' });
    const again = await connect(server.url, { profile: legacy.profile });
    expect(asked(server)).toEqual([...OLD.slice(1), ...OLD.slice(1)]);
    await legacy.close();
    await again.close();
  });

  test('in a revision the server does not speak says what the server said', async () => {
    const server = await rawServer({});
    await expect(connect(server.url, { revision: '2026-07-28' })).rejects.toMatchObject({
      code: 'http-error',
      status: 404,
    });
  });
});

describe('where a server is', () => {
  test.each([
    [
      'localhost:3000/mcp',
      /needs an http: or https: URL, such as "http:\/\/localhost:3000\/mcp"; this one begins with "localhost:"/,
    ],
    ['/mcp', /the text is no URL/],
    ['ftp://host/mcp', /this one begins with "ftp:"/],
    ['wss://host/mcp', /connect\(webSocketTransport\(url\)\) can, with webSocketTransport from mcpp\/websocket/],
    ['http://user:secret@host/mcp', /without a user name or password: put them into the option "headers"/],
  ])('cannot be %s', async (target, expected) => {
    const error = (await connect(target).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(expected);
    expect(error.message).not.toContain('secret');
  });

  test('may be said with a URL object, whose fragment is for people', async () => {
    const server = await rawServer(stateless);
    const mcp = await connect(new URL(`${server.url}?key=1#here`));
    expect(server.visits[0]?.path).toBe('/mcp?key=1');
    await mcp.close();
  });

  test('is named in errors without its query', async () => {
    const server = await rawServer({ 'server/discover': (visit) => visit.status(500) });
    const error = (await connect(`${server.url}?key=secret`).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toBe(`${server.url} answered with HTTP status 500`);
  });
});
