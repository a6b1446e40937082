/** Who is let in: what the opening request has to be, and what those are told who are not. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'mcpp/client';
import type { Challenge } from 'mcpp/http';
import { McpServer } from 'mcpp/server';
import {
  serveWebSocket,
  type WebSocketOptions,
  type WebSocketServerHandle,
  webSocketHandler,
  webSocketTransport,
} from 'mcpp/websocket';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { opening, RawClient } from './raw.ts';

const open: WebSocketServerHandle[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const errors: unknown[] = [];

function whoami(): McpServer {
  return new McpServer({ name: 'door', version: '1.0.0' }, { onError: (error) => errors.push(error) }).registerTool(
    'whoami',
    {},
    (_args, ctx) => ctx.auth?.subject ?? 'nobody',
  );
}

async function served(options: WebSocketOptions = {}): Promise<string> {
  const listening = await serveWebSocket(whoami(), { port: 0, ...options });
  open.push(listening);
  return listening.url;
}

async function answerTo(
  url: string,
  fields?: Record<string, string>,
): Promise<{ status: number; head: string; body: string }> {
  const client = new RawClient(url);
  const answer = await client.ask(opening(url, fields));
  client.socket.destroy();
  return answer;
}

describe('Host', () => {
  test.each(['localhost', 'localhost:1', '127.0.0.1', '[::1]:3000', 'LOCALHOST'])(
    '%s is this machine',
    async (host) => {
      expect((await answerTo(await served(), { Host: host })).status).toBe(101);
    },
  );

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '192.168.0.1', 'a, localhost'])(
    '%s is refused, and the owner is told what to set',
    async (host) => {
      const { status, body } = await answerTo(await served(), { Host: host });
      expect([status, body]).toEqual([403, expect.stringContaining('Set the option "hosts"')]);
    },
  );

  test('two of them are refused, whichever comes first', async () => {
    const url = await served();
    const { status } = await answerTo(url, { Host: 'localhost\r\nHost: evil.example' });
    // Node may refuse it before we do.
    expect([400, 403]).toContain(status);
  });

  test('is what "hosts" says', async () => {
    const url = await served({ hosts: ['mcp.example.com'] });
    expect((await answerTo(url, { Host: 'mcp.example.com:8443' })).status).toBe(101);
    expect((await answerTo(url, { Host: 'localhost' })).status).toBe(403);
  });

  test('is anything with "auth"', async () => {
    const url = await served({ auth: () => ({ subject: 'ada' }) });
    expect((await answerTo(url, { Host: 'mcp.example.com' })).status).toBe(101);
  });
});

describe('Origin', () => {
  test('may be missing, or the same host', async () => {
    const url = await served();
    expect((await answerTo(url)).status).toBe(101);
    expect((await answerTo(url, { Origin: `http://${new URL(url).host}` })).status).toBe(101);
  });

  test.each(['https://evil.example', 'null', 'http://localhost:1'])('%s is refused', async (origin) => {
    const { status, body } = await answerTo(await served(), { Origin: origin });
    expect([status, body]).toEqual([403, expect.stringContaining('Set the option "origins"')]);
  });

  test('may be one of "origins"', async () => {
    const url = await served({ origins: ['https://app.example.com'] });
    expect((await answerTo(url, { Origin: 'https://app.example.com' })).status).toBe(101);
    expect((await answerTo(url, { Origin: 'https://evil.example' })).status).toBe(403);
  });

  test('is looked at with "auth", too: a page has its visitors’ cookies', async () => {
    const url = await served({ auth: () => ({ subject: 'ada' }) });
    expect((await answerTo(url, { Origin: 'https://evil.example' })).status).toBe(403);
  });
});

describe('auth', () => {
  test('says who is calling, from the opening request', async () => {
    const url = await served({
      auth: (credentials, { header, target }) =>
        credentials?.scheme === 'bearer' && credentials.token === 'secret'
          ? { subject: `${header('x-user')} at ${target}` }
          : { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, message: 'Show a token' },
    });
    const headers = { Authorization: 'Bearer secret', 'X-User': 'ada' };
    const mcp = await connect(webSocketTransport(`${url}?a=b`, { headers }));
    expect((await mcp.callTool('whoami')).content).toEqual([{ type: 'text', text: 'ada at /mcp?a=b' }]);
    await mcp.close();

    const { status, head, body } = await answerTo(url);
    expect([status, body]).toEqual([401, 'Show a token\n']);
    expect(head).toContain('\r\nwww-authenticate: Bearer\r\n');
    await expect(connect(webSocketTransport(url))).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'failed',
      message: `Cannot open a WebSocket to ws://${new URL(url).host}: the server answered 401 Unauthorized`,
    });
  });

  test.each<readonly [Challenge, string]>([
    [{ status: 400 }, 'The request says in a wrong way who is calling'],
    [{ status: 403, headers: { 'WWW-Authenticate': 'Bearer error="x"' } }, 'This is not allowed'],
    [{ status: 503, headers: { 'Retry-After': '10' } }, 'Who is calling cannot be found out at the moment'],
  ])('that says %j says it to the client', async (challenge, message) => {
    const { status, head, body } = await answerTo(await served({ auth: () => challenge }));
    expect([status, body]).toEqual([challenge.status, `${message}\n`]);
    for (const [name, value] of Object.entries(challenge.headers ?? {})) {
      expect(head).toContain(`\r\n${name.toLowerCase()}: ${value}\r\n`);
    }
  });

  test.each([
    ['throws', () => Promise.reject(new Error('the database is down'))],
    ['forgets to return', () => undefined as never],
    ['puts a line end into a field', () => ({ status: 401 as const, headers: { 'X-A': 'a\r\nX-B: b' } })],
  ])('that %s lets nobody in, and only the owner hears why', async (_what, auth) => {
    const before = errors.length;
    const { status, body } = await answerTo(await served({ auth }));
    expect([status, body]).toEqual([500, 'Something broke on this side\n']);
    expect(errors.length).toBe(before + 1);
  });

  test('that never answers is given thirty seconds', async () => {
    const asked = later();
    const auth = (): Promise<never> => {
      asked.resolve(undefined);
      return new Promise<never>(() => {});
    };
    const url = await served({ auth });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const answer = answerTo(url);
      await asked.promise;
      vi.advanceTimersByTime(30_000);
      expect((await answer).status).toBe(503);
    } finally {
      vi.useRealTimers();
    }
  });

  test('that never answers does not keep the server from closing', async () => {
    const asked = later();
    const auth = (): Promise<never> => {
      asked.resolve(undefined);
      return new Promise<never>(() => {});
    };
    const url = await served({ auth });
    const answer = answerTo(url);
    await asked.promise;
    await open.pop()?.close();
    expect(await answer).toMatchObject({ status: 503, body: 'The server is closing\n' });
  });
});

describe('serveWebSocket', () => {
  test('answers what is no upgrade with 426, and other paths with 404', async () => {
    const url = await served();
    const address = url.replace('ws:', 'http:');
    const plain = await fetch(address);
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket']);
    expect((await fetch(new URL('/other', address))).status).toBe(404);
    expect((await answerTo(new URL('/other', url).href)).status).toBe(404);
    expect((await answerTo(new URL('/mcp/', url).href)).status).toBe(404);
  });

  test('checks the Host of every request', async () => {
    const url = await served();
    const client = new RawClient(url);
    const { status } = await client.ask('GET /other HTTP/1.1\r\nHost: evil.example\r\n\r\n');
    expect(status).toBe(403);
  });

  test.each([
    ['a method that is not GET', {}, 'POST', 405],
    ['another protocol', { Upgrade: 'h2c' }, 'GET', 400],
    ['no key', { 'Sec-WebSocket-Key': '' }, 'GET', 400],
    ['another version', { 'Sec-WebSocket-Version': '7' }, 'GET', 400],
  ])('refuses %s', async (_what, fields, method, status) => {
    const url = await served();
    const client = new RawClient(url);
    expect((await client.ask(opening(url, fields, method))).status).toBe(status);
  });

  test('takes the subprotocol mcp if it is offered, and no other', async () => {
    const url = await served();
    const field = 'Sec-WebSocket-Protocol';
    expect((await answerTo(url, { [field]: 'chat, mcp' })).head).toContain(`\r\n${field}: mcp\r\n`);
    expect((await answerTo(url, { [field]: 'chat' })).head).not.toContain(field);
    expect((await answerTo(url)).head).not.toContain(field);
  });

  test('compresses nothing', async () => {
    const { head } = await answerTo(await served(), { 'Sec-WebSocket-Extensions': 'permessage-deflate' });
    expect(head).not.toContain('permessage-deflate');
  });

  test('lets in as many as it may, and the next when one is gone', async () => {
    const url = await served({ limits: { connections: 2 } });
    const first = await RawClient.open(url);
    const second = await RawClient.open(url);
    const { status, head } = await answerTo(url);
    expect(status).toBe(503);
    expect(head).toContain('retry-after');
    first.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
    await first.gone;
    const third = await RawClient.open(url);
    for (const client of [second, third]) client.socket.destroy();
  });

  test('does not start where others can reach it, unless somebody thought of who they are', async () => {
    await expect(serveWebSocket(whoami(), { port: 0, address: '0.0.0.0' })).rejects.toThrow(
      'other machines can reach "0.0.0.0". Set "hosts"',
    );
    const listening = await serveWebSocket(whoami(), { port: 0, address: '0.0.0.0', hosts: ['localhost'] });
    open.push(listening);
    const mcp = await connect(webSocketTransport(listening.url));
    await mcp.close();
  });

  test('says what is wrong with an option', async () => {
    await expect(serveWebSocket(whoami(), { path: 'mcp' })).rejects.toThrow('"path" must begin with "/"');
    await expect(served({ keepAliveMs: 0 })).rejects.toThrow('keepAliveMs must be a positive number');
    await expect(served({ limits: { connections: -1 } })).rejects.toThrow(
      'limits.connections must be a positive number',
    );
    await expect(served({ hosts: ['http://a'] })).rejects.toThrow('no host name');
  });

  test('rejects when the port is taken', async () => {
    const { port } = new URL(await served());
    await expect(serveWebSocket(whoami(), { port: Number(port) })).rejects.toThrow('EADDRINUSE');
  });
});

describe('webSocketHandler', () => {
  test('hangs on an HTTP server of somebody else', async () => {
    const handler = webSocketHandler(whoami());
    const http = createServer((_request, response) => response.end('a page'));
    http.on('upgrade', handler.upgrade);
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;

    const mcp = await connect(webSocketTransport(`ws://127.0.0.1:${port}/any/path`));
    expect((await mcp.callTool('whoami')).content).toEqual([{ type: 'text', text: 'nobody' }]);
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('a page');

    await handler.close();
    expect(mcp.state).toBe('closed');
    const url = `ws://127.0.0.1:${port}/`;
    expect(await answerTo(url)).toMatchObject({ status: 503 });
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
});

function later(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve = (_value: unknown): void => {};
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('a clientAddress that throws gives 500, and onError gets the error', async () => {
  errors.length = 0;
  const url = await served({
    clientAddress: () => {
      throw new Error('no such header');
    },
  });
  expect((await answerTo(url)).status).toBe(500);
  expect(errors).toMatchObject([{ message: 'no such header' }]);
});
