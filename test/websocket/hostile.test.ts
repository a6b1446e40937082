/** Clients that mean harm, or know no better: each is ended with the right code or does none, and the others go on. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { connect } from 'mcpp/client';
import { McpServer } from 'mcpp/server';
import {
  type ServeWebSocketOptions,
  serveWebSocket,
  type WebSocketServerHandle,
  webSocketHandler,
  webSocketTransport,
} from 'mcpp/websocket';
import { afterEach, describe, expect, test } from 'vitest';
import { frame, Opcode, opening, RawClient } from './raw.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

const open: WebSocketServerHandle[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function served(server = quiet(), options: ServeWebSocketOptions = {}): Promise<string> {
  const listening = await serveWebSocket(server, { port: 0, ...options });
  open.push(listening);
  return listening.url;
}

function quiet(): McpServer {
  return new McpServer({ name: 'hostile', version: '1.0.0' });
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 'open',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1.0.0' } },
});
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const PONG = '{"jsonrpc":"2.0","id":1,"result":{}}';

const call = (id: number, name: string, progressToken?: number): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, ...(progressToken === undefined ? {} : { _meta: { progressToken } }) },
  });

/** A client in the middle of a session. */
async function inSession(url: string): Promise<RawClient> {
  const client = await RawClient.open(url);
  client.write(frame(Opcode.text, INITIALIZE));
  await client.next();
  client.write(frame(Opcode.text, '{"jsonrpc":"2.0","method":"notifications/initialized"}'));
  return client;
}

async function textOf(client: RawClient): Promise<string | undefined> {
  const next = await client.next();
  return next?.opcode === Opcode.text ? next.payload.toString() : undefined;
}

/** The server lives, and this client is served. */
async function expectServed(url: string): Promise<void> {
  const mcp = await connect(webSocketTransport(url));
  await mcp.ping();
  await mcp.close();
}

describe('frames', () => {
  const small = { limits: { messageBytes: 64 * KIB } };

  test.each([
    ['binary', 1003, [frame(Opcode.binary, PING)]],
    ['text that is no UTF-8', 1007, [frame(Opcode.text, Buffer.from([0x22, 0xff, 0x22]))]],
    ['more than the limit', 1009, [frame(Opcode.text, 'x'.repeat(64 * KIB + 1))]],
    ['the announcement of more than the limit', 1009, [frame(Opcode.text, '', { length: 2 ** 40 })]],
    [
      'more than the limit in pieces that are below it',
      1009,
      [
        frame(Opcode.text, 'x'.repeat(40 * KIB), { fin: false }),
        frame(Opcode.continuation, 'x'.repeat(40 * KIB), { fin: false }),
      ],
    ],
    ['a piece of nothing', 1002, [frame(Opcode.continuation, PING)]],
    ['a new message within another', 1002, [frame(Opcode.text, '{', { fin: false }), frame(Opcode.text, PING)]],
    ['a reserved kind', 1002, [frame(0x3, PING)]],
    ['a frame without a mask', 1002, [Buffer.from([0x81, 0x02, 0x7b, 0x7d])]],
    ['a ping in pieces', 1002, [frame(Opcode.ping, 'a', { fin: false })]],
  ])('%s: the connection is closed with %i', async (_what, code, frames) => {
    const url = await served(quiet(), small);
    const client = await RawClient.open(url);
    client.write(...frames);
    expect(await client.closeCode()).toBe(code);
    // The client does not answer the goodbye, and is dropped all the same.
    await client.gone;
    await expectServed(url);
  });

  test('a message in more pieces than anybody needs is not collected', async () => {
    const url = await served();
    const client = await RawClient.open(url);
    client.write(frame(Opcode.text, '[', { fin: false }));
    const pieces = Array.from({ length: 5000 }, () => frame(Opcode.continuation, ' ', { fin: false }));
    client.write(...pieces);
    expect(await client.closeCode()).toBe(1008);
    await expectServed(url);
  });

  test('a message in pieces, with a ping between them, is one message', async () => {
    const client = await inSession(await served());
    client.write(
      frame(Opcode.text, PING.slice(0, 10), { fin: false }),
      frame(Opcode.ping, 'still there?'),
      frame(Opcode.continuation, PING.slice(10)),
    );
    expect(await client.next()).toEqual({ opcode: Opcode.pong, payload: Buffer.from('still there?') });
    expect(await textOf(client)).toBe(PONG);
    client.socket.destroy();
  });

  test('a message that never ends does not keep the server from closing', async () => {
    const url = await served();
    const client = await RawClient.open(url);
    client.write(frame(Opcode.text, PING.slice(0, 10), { fin: false }));
    client.write(frame(Opcode.ping));
    expect((await client.next())?.opcode).toBe(Opcode.pong);
    const closed = open.pop()?.close();
    expect(await client.closeCode()).toBe(1001);
    await closed;
  });

  test('half a frame and then nothing is no message', async () => {
    const url = await served();
    const client = await RawClient.open(url);
    client.write(frame(Opcode.text, PING).subarray(0, 20));
    client.socket.destroy();
    await client.gone;
    await expectServed(url);
  });

  test('text that is no message is answered, and the connection lives', async () => {
    const client = await RawClient.open(await served());
    const deep = `{"jsonrpc":"2.0","id":7,"method":"ping","params":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    for (const [text, code] of [
      ['', -32700],
      ['{"jsonrpc":"2.0","id":1', -32700],
      ['42', -32600],
      [deep, -32600],
    ] as const) {
      client.write(frame(Opcode.text, text));
      expect(JSON.parse((await textOf(client)) ?? '')).toMatchObject({ error: { code } });
    }
    client.write(frame(Opcode.text, PING));
    expect(await textOf(client)).toBeDefined();
    client.socket.destroy();
  });

  test('frames that come with the opening request are read', async () => {
    const url = await served();
    const client = new RawClient(url);
    client.socket.write(Buffer.concat([Buffer.from(opening(url)), frame(Opcode.text, INITIALIZE)]));
    expect((await client.ask('')).status).toBe(101);
    expect(JSON.parse((await textOf(client)) ?? '')).toMatchObject({ id: 'open' });
    client.socket.destroy();
  });
});

describe('a client that does not read', () => {
  test('is not called again until it does: its calls wait', async () => {
    let calls = 0;
    const answer = 'x'.repeat(64 * KIB);
    const server = quiet().registerTool('large', {}, () => {
      calls++;
      return answer;
    });
    const url = await served(server);
    const client = await inSession(url);
    client.socket.pause();
    const many = 4000;
    client.write(...Array.from({ length: many }, (_, id) => frame(Opcode.text, call(id, 'large'))));
    // Another client is served as often as the first one could have been.
    const mcp = await connect(webSocketTransport(url));
    for (let at = 0; at < 200; at++) await mcp.ping();
    await mcp.close();
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(many / 2);

    client.socket.resume();
    for (let id = 0; id < many; id++) {
      expect((await client.next())?.payload.subarray(0, 60).toString()).toContain(`"id":${id},`);
    }
    expect(calls).toBe(many);
    client.socket.destroy();
  });

  test('misses what it can do without, and gets the answer', async () => {
    const many = 5000;
    const server = quiet().registerTool('talk', {}, async (_args, ctx) => {
      for (let at = 1; at <= many; at++) {
        ctx.log.info('x'.repeat(16 * KIB));
        await turn();
      }
      return 'done';
    });
    const client = await inSession(await served(server));
    client.socket.pause();
    client.write(frame(Opcode.text, call(1, 'talk')));
    const running = watchCalls(server);
    await running;
    client.socket.resume();
    let heard = 0;
    let next = await textOf(client);
    for (; next && !next.includes('"result"'); next = await textOf(client)) heard++;
    expect(next).toContain('done');
    expect(heard).toBeGreaterThan(0);
    expect(heard).toBeLessThan(many);
    client.socket.destroy();
  });

  test('is dropped when too much waits for it', async () => {
    const gate = later();
    let running = 0;
    let aborted = 0;
    const server = quiet()
      .registerTool('large', {}, async () => {
        running++;
        await gate.promise;
        return 'x'.repeat(MIB);
      })
      .registerTool('wait', {}, (_args, ctx) => {
        running++;
        return new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(String(++aborted))));
      });
    const url = await served(server, { limits: { unreadBytes: 2 * MIB } });
    const client = await inSession(url);
    client.write(frame(Opcode.text, call(0, 'wait')));
    client.write(...Array.from({ length: 100 }, (_, id) => frame(Opcode.text, call(id + 1, 'large'))));
    while (running < 101) await turn();
    client.socket.pause();
    gate.resolve();
    while (aborted === 0) await turn();
    client.socket.resume();
    expect(await client.closeCode()).toBeUndefined();
    await expectServed(url);
  });

  test('gets no pile of pongs for a flood of pings', async () => {
    const client = await inSession(await served());
    client.socket.pause();
    const flood = Buffer.concat(Array.from({ length: 1000 }, () => frame(Opcode.ping, 'x'.repeat(125))));
    const many = 400;
    for (let at = 0; at < many; at++) {
      if (!client.socket.write(flood)) await once(client.socket, 'drain');
    }
    client.write(frame(Opcode.text, PING));
    client.socket.resume();
    let pongs = 0;
    let next = await client.next();
    for (; next && next.opcode === Opcode.pong; next = await client.next()) pongs++;
    expect(next?.payload.toString()).toBe(PONG);
    expect(pongs).toBeGreaterThan(0);
    expect(pongs).toBeLessThan(many * 1000);
    client.socket.destroy();
  });
});

describe('pings of the server', () => {
  test('a client that answers none is dropped', async () => {
    const url = await served(quiet(), { keepAliveMs: 20 });
    const client = await RawClient.open(url);
    const heard: (number | undefined)[] = [];
    for (let next = await client.next(); next; next = await client.next()) heard.push(next.opcode);
    // Without a goodbye: nobody would hear it.
    expect(heard).toEqual([Opcode.ping, Opcode.ping]);
  });

  test('a client that answers them stays', async () => {
    const url = await served(quiet(), { keepAliveMs: 100 });
    const client = await RawClient.open(url);
    for (let beats = 0; beats < 4; beats++) {
      expect((await client.next())?.opcode).toBe(Opcode.ping);
      client.write(frame(Opcode.pong));
    }
    client.write(frame(Opcode.text, PING));
    let next = await client.next();
    while (next?.opcode === Opcode.ping) next = await client.next();
    expect(next?.opcode).toBe(Opcode.text);
    client.socket.destroy();
  });
});

test('fifty clients that vanish in the middle of a call leave nothing behind', async () => {
  let running = 0;
  let aborted = 0;
  const server = quiet().registerTool('wait', {}, (_args, ctx) => {
    running++;
    return new Promise((resolve) =>
      ctx.signal.addEventListener('abort', () => {
        aborted++;
        resolve('too late');
      }),
    );
  });
  const handler = webSocketHandler(server);
  const http = createServer().on('upgrade', handler.upgrade).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`;
  await expectServed(url);
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => http.getConnections((error, count) => (error ? reject(error) : resolve(count))));
  while ((await connections()) > 0) await turn();
  const resources = (): number => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').length;
  const before = resources();

  const clients = await Promise.all(Array.from({ length: 50 }, () => inSession(url)));
  for (const client of clients) client.write(frame(Opcode.text, call(1, 'wait')));
  while (running < clients.length) await turn();
  clients.forEach(({ socket }, index) => {
    if (index % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
  });
  while (aborted < clients.length || (await connections()) > 0) await turn();
  await Promise.all(clients.map(({ gone }) => gone));
  expect(resources()).toBeLessThanOrEqual(before);

  await handler.close();
  await new Promise((resolve) => http.close(resolve));
});

/** Resolves when the next call of this server's has ended. */
function watchCalls(server: McpServer): Promise<void> {
  return new Promise((resolve) => {
    server.use(async (call, next) => {
      const result = await next();
      if (call.method === 'tools/call') resolve();
      return result;
    });
  });
}

function later(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
