/** The client's side: what it says when it cannot connect, and that everything settles however the server ends. */

import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import type { Transport } from 'mcpp';
import { connect } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import { serveWebSocket, webSocketTransport } from 'mcpp/websocket';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { JSON_LIMITS } from '../../src/jsonrpc/json/message-limits.ts';
import { addressOf, type WebSocketTransportOptions } from '../../src/transport/websocket/address.ts';
import { openSocket } from '../../src/transport/websocket/global-socket.ts';
import { CloseCode } from '../../src/transport/websocket/socket.ts';
import { SocketTransport } from '../../src/transport/websocket/socket-transport.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const end of endings.splice(0).reverse()) await end();
});

/** A server that does this with everybody who connects. */
async function tcpServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return urlOf(server);
}

function urlOf(server: Server | WebSocketServer): string {
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A server that opens WebSockets, and does this with the messages it gets. */
async function answering(
  onMessage: (socket: WebSocket, message: { id?: unknown; method: string }) => void,
): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('message', (data) => onMessage(socket, JSON.parse(String(data))));
  });
  endings.push(() => {
    for (const socket of server.clients) socket.terminate();
    return new Promise((resolve) => server.close(resolve));
  });
  return urlOf(server);
}

const discovered = (id: unknown): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    result: {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
    },
  });

/** A server that can be greeted, and does this when a tool is called. */
const greetable = (onCall: (socket: WebSocket) => void): Promise<string> =>
  answering((socket, { id, method }) => {
    if (method === 'server/discover') socket.send(discovered(id));
    else onCall(socket);
  });

async function refusing(answer: string): Promise<string> {
  return tcpServer((socket) =>
    socket.once('data', () => socket.end(`HTTP/1.1 ${answer}\r\nContent-Length: 0\r\n\r\n`)),
  );
}

/** The same over what a browser has. */
function overGlobal(url: string, options: WebSocketTransportOptions = {}): Transport {
  const address = addressOf(url, options);
  return new SocketTransport((listener, signal) => openSocket(address, listener, signal), {
    structure: JSON_LIMITS,
    messageBytes: address.maxMessageBytes,
    unreadBytes: 64 * 1024 * 1024,
    alwaysReads: true,
    goodbye: CloseCode.Normal,
  });
}

const silent = { onMessage: () => {}, onError: () => {}, onClose: () => {} };

describe.each([
  ['with ws', webSocketTransport],
  ['with the WebSocket of the runtime', overGlobal],
] as const)('%s', (_name, transportTo) => {
  const isGlobal = transportTo === overGlobal;
  beforeEach(() => {
    if (isGlobal) vi.stubGlobal('WebSocket', WebSocket);
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'a server is asked and asks back in revision %s',
    async (revision) => {
      const server = new McpServer({ name: 'hello', version: '1.0.0' }).registerTool(
        'hello',
        {},
        async (_args, ctx) => {
          if (!ctx.can('elicitation.form')) return 'Hello you!';
          const answer = await ctx.elicit('Who are you?', {
            type: 'object',
            properties: { name: { type: 'string' } },
            required: ['name'],
          });
          return answer.action === 'accept' ? `Hello ${answer.content.name}!` : answer.action;
        },
      );
      const listening = await serveWebSocket(server, { port: 0 });
      endings.push(() => listening.close());
      const mcp = await connect(transportTo(listening.url), {
        revision,
        onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      });
      // What could not be asked yet is not.
      const text = revision < '2025-06-18' ? 'Hello you!' : 'Hello Ada!';
      expect((await mcp.callTool('hello')).content).toEqual([{ type: 'text', text }]);
      await mcp.close();
      expect(mcp.state).toBe('closed');
    },
  );

  test('a server that is not there', async () => {
    const url = await refusing('');
    await endings.pop()?.();
    const failed = connect(transportTo(url));
    await expect(failed).rejects.toMatchObject({ name: 'ConnectionError', code: 'failed' });
    const { host } = new URL(url);
    await expect(failed).rejects.toThrow(
      `Cannot open a WebSocket to ws://${host}: ${isGlobal ? 'it cannot be reached' : 'ECONNREFUSED'}`,
    );
  });

  test.each(['403 Forbidden', '404 Not Found', '503 Service Unavailable', '302 Found\r\nLocation: /', '200 OK'])(
    'a server that answers %s',
    async (answer) => {
      const failed = connect(transportTo(await refusing(answer)));
      await expect(failed).rejects.toMatchObject({ name: 'ConnectionError', code: 'failed' });
      await expect(failed).rejects.toThrow(
        isGlobal ? 'it cannot be reached, or refuses' : `the server answered ${answer.split('\r')[0]}`,
      );
    },
  );

  test('a server that knows no subprotocol is for those who offer none', async () => {
    const accept = (key: string): string =>
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`;
    const url = await tcpServer((socket) =>
      socket.once('data', async (data) => {
        const [, key = ''] = /sec-websocket-key: (.*)\r\n/i.exec(String(data)) ?? [];
        const { createHash } = await import('node:crypto');
        const digest = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
        socket.write(accept(digest));
      }),
    );
    await expect(transportTo(url).connect(silent)).rejects.toMatchObject({ code: 'failed' });
    const transport = transportTo(url, { protocols: [] });
    await transport.connect(silent);
    await transport.disconnect();
  });

  test('a server that never answers the opening is given up, and the socket with it', async () => {
    const sockets: Promise<unknown>[] = [];
    const url = await tcpServer((socket) => {
      sockets.push(once(socket, 'close'));
      socket.resume();
    });
    await expect(connect(transportTo(url), { connectTimeout: 50 })).rejects.toMatchObject({ code: 'timeout' });
    const transport = transportTo(url);
    const connecting = transport.connect(silent);
    const settled = expect(connecting).rejects.toMatchObject({ name: 'ConnectionError', code: 'closed' });
    await transport.disconnect();
    await settled;
    await Promise.all(sockets);
  });

  test.each([
    ['says that it goes away', 1001, (socket: WebSocket) => socket.close(1001), 'The connection is closed'],
    ['breaks', 1011, (socket: WebSocket) => socket.close(1011), 'because something broke there (1011)'],
    ['hangs up', 1006, (socket: WebSocket) => socket.terminate(), 'The connection broke'],
  ])('a call is rejected when the server %s', async (_what, code, end, message) => {
    const mcp = await connect(transportTo(await greetable(end)));
    const call = mcp.callTool('any');
    await expect(call).rejects.toMatchObject({ name: 'ConnectionError', code: 'closed' });
    await expect(call).rejects.toThrow(message);
    expect(mcp.state).toBe(code === 1001 ? 'closed' : 'failed');
    await mcp.close();
  });

  test('a message that is too long ends the connection, and a server that waits for no goodbye is not waited for', async () => {
    const url = await greetable((socket) => socket.send(`"${'x'.repeat(2000)}"`));
    const mcp = await connect(transportTo(url, { maxMessageBytes: 1000 }));
    await expect(mcp.callTool('any')).rejects.toMatchObject({
      name: 'ConnectionError',
      code: 'too-large',
      message: expect.stringContaining('option "maxMessageBytes"'),
    });
    await mcp.close();
  });

  test('a message that is no text ends the connection, and the server is told why', async () => {
    let told: Promise<unknown[]> | undefined;
    const url = await greetable((socket) => {
      told = once(socket, 'close');
      socket.send(Buffer.from('{}'));
    });
    const mcp = await connect(transportTo(url));
    await expect(mcp.callTool('any')).rejects.toMatchObject({ name: 'ConnectionError', code: 'malformed' });
    expect((await told)?.[0]).toBe(isGlobal ? 4003 : 1003);
    await mcp.close();
  });

  test('what goes wrong with a message that is no message is told, and the connection lives', async () => {
    const url = await answering((socket, { id, method }) => {
      if (method === 'server/discover') socket.send(discovered(id));
      else {
        socket.send('no JSON');
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } }));
      }
    });
    const errors: Error[] = [];
    const mcp = await connect(transportTo(url), { onError: (error) => void errors.push(error) });
    expect((await mcp.callTool('any')).content).toEqual([]);
    expect(errors).toMatchObject([{ code: 'malformed' }]);
    await mcp.close();
  });

  test('a server that does not read is noticed: sending waits, and goes on when it reads', async () => {
    const url = await answering(() => {});
    const server = await proxyTo(url);
    const transport = transportTo(server.url);
    await transport.connect(silent);
    server.pause();
    const message = { jsonrpc: '2.0', method: 'x', params: { x: 'x'.repeat(1024 * 1024) } } as const;
    const waits: Promise<void>[] = [];
    for (let at = 0; at < 64 && waits.length === 0; at++) {
      const sent = transport.send(message);
      if (sent) waits.push(sent);
    }
    expect(waits).toHaveLength(1);
    server.resume();
    await waits[0];
    await transport.disconnect();
  });

  test('wherever the server’s bytes are cut off, everything settles', async () => {
    const server = new McpServer({ name: 'cut', version: '1.0.0' }).registerTool('hello', {}, () => 'Hello');
    const listening = await serveWebSocket(server, { port: 0 });
    endings.push(() => listening.close());
    const talk = async (url: string): Promise<'complete' | 'cut'> => {
      try {
        const mcp = await connect(transportTo(url));
        try {
          await mcp.callTool('hello');
          return 'complete';
        } finally {
          await mcp.close();
        }
      } catch (error) {
        expect(error).toMatchObject({ name: 'ConnectionError' });
        return 'cut';
      }
    };
    const whole = await proxyTo(listening.url);
    expect(await talk(whole.url)).toBe('complete');
    const outcomes = new Set<string>();
    for (let bytes = 0; bytes < whole.passed; bytes += 5) {
      outcomes.add(await talk((await proxyTo(listening.url, bytes)).url));
    }
    expect(outcomes).toContain('cut');
  });
});

/** Stands between a client and a server, and lets so many of the server's bytes pass. */
async function proxyTo(
  url: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ url: string; readonly passed: number; pause(): void; resume(): void }> {
  let passed = 0;
  let client: Socket | undefined;
  const proxied = await tcpServer((socket) => {
    client = socket;
    const server = dial(Number(new URL(url).port), '127.0.0.1');
    server.on('error', () => {});
    socket.pipe(server);
    socket.once('close', () => server.destroy());
    server.once('close', () => socket.destroy());
    server.on('data', (data) => {
      const piece = data.subarray(0, limit - passed);
      passed += piece.length;
      socket.write(piece);
      if (passed >= limit) socket.destroySoon();
    });
    if (limit === 0) socket.destroy();
  });
  return {
    // The path and the Host of the server itself.
    url: proxied.replace(/\/$/, new URL(url).pathname),
    get passed() {
      return passed;
    },
    pause: () => client?.pause(),
    resume: () => client?.resume(),
  };
}

describe('webSocketTransport', () => {
  test.each(['http://127.0.0.1/', 'mcp.example.com', '/mcp', '', 'file:///a'])('does not take %s', (url) => {
    expect(() => webSocketTransport(url)).toThrow(
      new TypeError('webSocketTransport needs an address that begins with ws:// or wss://'),
    );
  });

  test('takes a URL object, and leaves the part after # out', async () => {
    const server = new McpServer({ name: 'url', version: '1.0.0' });
    const listening = await serveWebSocket(server, { port: 0 });
    endings.push(() => listening.close());
    const mcp = await connect(webSocketTransport(new URL(`${listening.url}#here`)));
    await mcp.close();
  });

  test('does not say what may be secret in an address', async () => {
    const failed = connect(webSocketTransport('ws://user:secret@127.0.0.1:1/?token=secret'));
    await expect(failed).rejects.toThrow(/^Cannot open a WebSocket to ws:\/\/127\.0\.0\.1:1: \w+$/);
  });

  test('connects once, and sends only in between', async () => {
    const url = await answering(() => {});
    const transport = webSocketTransport(url);
    const message = { jsonrpc: '2.0', method: 'x' } as const;
    expect(() => transport.send(message)).toThrow('The transport is not connected');
    await transport.connect(silent);
    await expect(transport.connect(silent)).rejects.toThrow('connected before');
    await Promise.all([transport.disconnect(), transport.disconnect()]);
    expect(() => transport.send(message)).toThrow('The connection is closed');
    await expect(transport.connect(silent)).rejects.toThrow('connected before');
  });

  test('that is given up before it is used ends', async () => {
    await webSocketTransport('ws://127.0.0.1:1/').disconnect();
  });

  test('gives an opening thirty seconds', async () => {
    const url = await tcpServer((socket) => socket.resume());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const connecting = webSocketTransport(url).connect(silent);
      const settled = expect(connecting).rejects.toMatchObject({
        code: 'timeout',
        message: 'The WebSocket was not open within 30000 ms',
      });
      vi.advanceTimersByTime(30_000);
      await settled;
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('without ws', () => {
  test('the WebSocket of the runtime is used; it cannot send header fields', async () => {
    const server = new McpServer({ name: 'x', version: '1.0.0' });
    const listening = await serveWebSocket(server, { port: 0 });
    endings.push(() => listening.close());
    vi.stubGlobal('WebSocket', WebSocket);
    const mcp = await connect(overGlobal(listening.url));
    await mcp.close();
    await expect(connect(overGlobal(listening.url, { headers: { a: 'b' } }))).rejects.toThrow(
      'cannot send header fields: leave out "headers"',
    );
  });

  test('and without one of the runtime’s, it is said', async () => {
    vi.stubGlobal('WebSocket', undefined);
    await expect(connect(overGlobal('ws://127.0.0.1:1/'))).rejects.toThrow('This runtime has no WebSocket');
  });
});
