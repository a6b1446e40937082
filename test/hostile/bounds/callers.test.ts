/** One caller that takes everything it can get, and another that comes later. */

import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectAndSend, OTHER_CALLER, openSession, post, rawPost } from './http.ts';
import { startVictim, type Victim } from './victim.ts';

let victim: Victim<{ port: number }>;
let sockets: Socket[] = [];

beforeEach(async () => {
  victim = await startVictim('server');
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await victim.close();
});

test('12,000 sessions of one caller: another caller gets one, and keeps it', async () => {
  const { port } = victim.ready;
  const cost = await victim.during(async () => {
    const work = async (): Promise<void> => {
      for (let n = 0; n < 1500; n++) await openSession(port);
    };
    await Promise.all(Array.from({ length: 8 }, work));
    const session = await openSession(port, OTHER_CALLER);
    expect(session).toBeDefined();
    for (let n = 0; n < 100; n++) expect(await openSession(port)).toBeDefined();
    const { status } = await post(port, 'tools/list', {}, { from: OTHER_CALLER });
    expect(status).toBe(200);
  });
  expect(cost.heapMb).toBeLessThan(100);
});

test.each([
  ['running calls', 'tools/call', { name: 'wait', arguments: {} }],
  ['listening streams', 'subscriptions/listen', { notifications: { toolsListChanged: true } }],
])('%s: one caller cannot take all places', async (_, method, params) => {
  const { port } = victim.ready;
  const hundred = Array.from({ length: 100 }, (_, n) => rawPost(method, params, n)).join('');
  const cost = await victim.during(async () => {
    for (let n = 0; n < 105; n++) sockets.push(await connectAndSend(port, hundred));
    const quick = await post(port, 'tools/call', { name: 'quick' }, { from: OTHER_CALLER });
    expect(quick.status).toBe(200);
    // The place of another caller: its own call runs, and its stream opens.
    const own = await connectAndSend(port, rawPost(method, params), OTHER_CALLER);
    sockets.push(own);
    if (method === 'tools/call') {
      const before = Number(await victim.run('running'));
      expect(before).toBeGreaterThan(8000);
      expect(before).toBeLessThan(9000);
    } else {
      const status = await new Promise<string>((resolve) => {
        own.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1', 9, 12))).resume();
      });
      expect(status).toBe('200');
    }
  });
  expect(cost.heapMb).toBeLessThan(200);
});
