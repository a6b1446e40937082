/** `ws` is an optional peer dependency: whoever needs it and does not have it is told. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import { serveWebSocket, webSocketHandler, webSocketTransport } from 'mcpp/websocket';
import { afterEach, expect, test, vi } from 'vitest';
import { listen, makeHandler } from '../../src/transport/websocket/no-server.ts';
import { opening, RawClient } from './raw.ts';

vi.mock('ws', () => {
  throw new Error('Cannot find package');
});
afterEach(() => vi.unstubAllGlobals());

const ADVICE = 'WebSockets need the package "ws" here: run `npm install ws`';

test('a server does not start', async () => {
  const server = new McpServer({ name: 'x', version: '1.0.0' });
  await expect(serveWebSocket(server, { port: 0 })).rejects.toThrow(ADVICE);
});

test('a handler tells its owner at once, and clients only that something broke', async () => {
  const told: string[] = [];
  const onError = (error: unknown): void => void told.push((error as Error).message);
  const handler = webSocketHandler(new McpServer({ name: 'x', version: '1.0.0' }, { onError }));
  await vi.waitFor(() => expect(told).toEqual([ADVICE]));
  const http = createServer().on('upgrade', handler.upgrade).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`;
  expect(await new RawClient(url).ask(opening(url))).toMatchObject({
    status: 500,
    body: 'Something broke on this side\n',
  });
  await handler.close();
  await new Promise((resolve) => http.close(resolve));
});

test('a client uses the WebSocket of the runtime', async () => {
  const opened: unknown[] = [];
  class Refusing extends EventTarget {
    constructor(url: string, protocols: string[]) {
      super();
      opened.push([url, protocols]);
      queueMicrotask(() => this.dispatchEvent(new Event('error')));
    }
  }
  vi.stubGlobal('WebSocket', Refusing);
  await expect(connect(webSocketTransport('ws://a.example/mcp'))).rejects.toThrow('ws://a.example');
  expect(opened).toEqual([['ws://a.example/mcp', ['mcp']]]);
});

test('a client that needs more than that, or has none, is told', async () => {
  vi.stubGlobal('WebSocket', undefined);
  await expect(connect(webSocketTransport('ws://a.example/'))).rejects.toMatchObject({
    code: 'failed',
    message: ADVICE,
  });
  vi.stubGlobal('WebSocket', EventTarget);
  const transport = webSocketTransport('ws://a.example/', { headers: { Authorization: 'Bearer secret' } });
  await expect(connect(transport)).rejects.toThrow(ADVICE);
});

test('where there is no Node, serving says so', async () => {
  expect(() => makeHandler()).toThrow('needs Node');
  await expect(listen()).rejects.toThrow('needs Node');
});
