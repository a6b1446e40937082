/** A WebSocket is opened with a token, and does not outlive it by more than what runs. */

import type { Authenticate } from 'mcpp/http';
import { serveWebSocket, type WebSocketServerHandle } from 'mcpp/websocket';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { call, initialize, notification } from '../http/messages.ts';
import { makeStage, type Stage } from '../http/stage.ts';
import { frame, Opcode, opening, RawClient } from './raw.ts';

const MINUTE = 60_000;
let stage: Stage;
let serving: WebSocketServerHandle;
const clients: RawClient[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  stage = makeStage();
  const expiresAt = Date.now() + 5 * MINUTE;
  const auth: Authenticate = ({ token } = { scheme: '', token: '' }) =>
    token === 'lacking'
      ? { status: 403, headers: { 'WWW-Authenticate': 'Bearer x' }, principal: { subject: 'alice' } }
      : { subject: 'alice', ...(token === 'short' && { expiresAt }) };
  serving = await serveWebSocket(stage.server, { port: 0, auth });
});
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  await serving.close();
  expect(stage.errors).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

async function connected(token = 'short'): Promise<RawClient> {
  const client = await RawClient.open(serving.url, { Authorization: `Bearer ${token}` });
  clients.push(client);
  say(client, initialize('2025-11-25'));
  await hear(client);
  say(client, notification('notifications/initialized'));
  return client;
}

function say({ socket }: RawClient, message: unknown): void {
  socket.write(frame(Opcode.text, JSON.stringify(message)));
}

async function hear(client: RawClient): Promise<unknown> {
  const { opcode, payload } = (await client.next()) ?? { opcode: Opcode.text, payload: 'null' as never };
  return opcode === Opcode.close ? [payload.readUInt16BE(0), payload.subarray(2).toString()] : JSON.parse(`${payload}`);
}

/** As a client has to answer a goodbye. */
function farewell({ socket }: RawClient): void {
  socket.write(frame(Opcode.close, Buffer.from([0x03, 0xf0])));
}

const EXPIRED = [1008, 'The token has expired'];

test('it is closed with 1008 when its token expires, not before', async () => {
  const client = await connected();
  vi.advanceTimersByTime(5 * MINUTE - 1);
  say(client, call(1, 'echo', { text: 'a' }));
  expect(await hear(client)).toMatchObject({ id: 1 });
  vi.advanceTimersByTime(1);
  expect(await hear(client)).toEqual(EXPIRED);
  farewell(client);
  await client.gone;
});

test('a token without an end keeps it open', async () => {
  const client = await connected('long');
  vi.advanceTimersByTime(500 * MINUTE);
  say(client, call(1, 'echo', { text: 'a' }));
  expect(await hear(client)).toMatchObject({ id: 1 });
});

test('what runs is answered first, and nothing new is begun', async () => {
  const client = await connected();
  say(client, call(1, 'wait'));
  const running = await stage.begun();
  vi.advanceTimersByTime(6 * MINUTE);
  await Promise.resolve();
  say(client, call(2, 'echo', { text: 'a' }));
  expect(await hear(client)).toMatchObject({ id: 2, error: { message: 'The token has expired' } });
  expect(running.ctx.signal.aborted).toBe(false);
  running.end('done');
  expect(await hear(client)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
  expect(await hear(client)).toEqual(EXPIRED);
  farewell(client);
});

test('closing the server does not wait for it', async () => {
  const client = await connected();
  say(client, call(1, 'wait'));
  const running = await stage.begun();
  vi.advanceTimersByTime(6 * MINUTE);
  const closed = serving.close();
  await running.aborted;
  expect(await hear(client)).toMatchObject({ id: 1, result: { isError: true } });
  await hear(client);
  farewell(client);
  await closed;
});

test('who lacks what every request needs is not let in', async () => {
  const client = new RawClient(serving.url);
  const { status, head } = await client.ask(opening(serving.url, { Authorization: 'Bearer lacking' }));
  expect([status, head]).toEqual([403, expect.stringContaining('\r\nwww-authenticate: Bearer x\r\n')]);
});
