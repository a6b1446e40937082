/** Callers that make a server keep much: what all of them keep is bounded, and others are served meanwhile. */

import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { bodyOf, connectAndSend, OTHER_CALLER, openSession, post, rawPost, send } from './http.ts';
import { startVictim, type Victim } from './victim.ts';

let victim: Victim<{ port: number; webSocketUrl: string }>;
let sockets: Socket[] = [];

beforeEach(async () => {
  victim = await startVictim('server');
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await victim.close();
});

const MB = 2 ** 20;
const statuses = new Map<number, number>();

/** Sends requests on connections of their own, each read up to its status; gives how many got each status at once. */
async function sendMany(count: number, bytes: string): Promise<ReadonlyMap<number, number>> {
  statuses.clear();
  for (let n = 0; n < count; n++) {
    const socket = await connectAndSend(victim.ready.port, bytes);
    sockets.push(socket);
    socket.once('data', (chunk: Buffer) => {
      const status = Number(chunk.toString('latin1', 9, 12));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    socket.resume();
  }
  return statuses;
}

async function othersAreServed(): Promise<void> {
  const { port } = victim.ready;
  const { status } = await post(port, 'tools/call', { name: 'quick' }, { from: OTHER_CALLER });
  expect(status).toBe(200);
  expect(await openSession(port, OTHER_CALLER)).toBeDefined();
}

test('100 running calls with 4 MB of arguments each: some run, the others get 503', async () => {
  const bytes = rawPost('tools/call', { name: 'wait', arguments: { text: 'x'.repeat(4 * MB - 1000) } });
  const cost = await victim.during(async () => {
    await sendMany(100, bytes);
    await othersAreServed();
    await expect.poll(() => statuses.get(503) ?? 0, { timeout: 20_000 }).toBeGreaterThan(60);
    await othersAreServed();
  });
  expect(cost.heapMb).toBeLessThan(140);
  expect(await victim.run('running')).toBeGreaterThan(5);
});

test('5,000 running calls with 4 KB of empty objects each stay within the same bound', async () => {
  const args = { list: Array.from({ length: 1200 }, () => ({})) };
  const bytes = Array.from({ length: 50 }, (_, n) => rawPost('tools/call', { name: 'wait', arguments: args }, n)).join(
    '',
  );
  const cost = await victim.during(async () => {
    await sendMany(100, bytes);
    await expect.poll(() => victim.run('running'), { timeout: 20_000 }).toBeGreaterThan(500);
    await othersAreServed();
  });
  expect(cost.heapMb).toBeLessThan(140);
});

test('listens with 4 MB of URIs each stay within the same bound', async () => {
  const uris = Array.from({ length: 900 }, (_, n) => `x://${n}/${'u'.repeat(4500)}`);
  const params = { notifications: { resourceSubscriptions: uris } };
  const cost = await victim.during(async () => {
    await sendMany(100, rawPost('subscriptions/listen', params));
    await expect.poll(() => statuses.get(503) ?? 0, { timeout: 20_000 }).toBeGreaterThan(60);
    await othersAreServed();
  });
  expect(cost.heapMb).toBeLessThan(140);
});

test('subscriptions of sessions have 64 KiB for each, and a bound for all', async () => {
  const { port } = victim.ready;
  const answers = new Map<string, number>();
  const cost = await victim.during(async () => {
    const work = async (): Promise<void> => {
      for (let n = 0; n < 300; n++) {
        const session = await openSession(port);
        for (let of = 0; session && of < 9; of++) {
          const params = { uri: `x://${of}/${'u'.repeat(8000)}` };
          const body = JSON.stringify({ jsonrpc: '2.0', id: of, method: 'resources/subscribe', params });
          const { text } = await send(port, body, { headers: session });
          const kind = /"code":(-\d+)/.exec(text)?.[1] ?? 'subscribed';
          answers.set(kind, (answers.get(kind) ?? 0) + 1);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    await othersAreServed();
  });
  expect([...answers.keys()].sort()).toEqual(['-32602', '-32603', 'subscribed']);
  expect(cost.heapMb).toBeLessThan(140);
});

test('running calls over WebSockets have the same bound', async () => {
  const message = bodyOf('tools/call', { name: 'wait', arguments: { text: 'x'.repeat(4 * MB - 1000) } });
  const refused: string[] = [];
  const clients: WebSocket[] = [];
  const cost = await victim.during(async () => {
    for (let n = 0; n < 50; n++) {
      const client = new WebSocket(victim.ready.webSocketUrl, 'mcp');
      clients.push(client);
      client.on('message', (data) => refused.push(String(data)));
      await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
      client.send(message);
      client.send(message.replace('"id":1', '"id":2'));
    }
    await expect.poll(() => refused.length, { timeout: 20_000 }).toBeGreaterThan(60);
    await othersAreServed();
  });
  for (const client of clients) client.terminate();
  expect(refused[0]).toContain('-32603');
  expect(cost.heapMb).toBeLessThan(140);
});

test('running calls over stdio have the same bound', async () => {
  const stdio = await startVictim('stdio');
  let refused: unknown;
  const cost = await stdio.during(async () => {
    refused = await stdio.run('callMany', { count: 100, bytes: 5 * MB });
  });
  await stdio.close();
  const [first] = refused as string[];
  expect(JSON.parse(first ?? '')).toMatchObject({ error: { code: -32603 } });
  expect((refused as string[]).length).toBeGreaterThan(60);
  expect(cost.heapMb).toBeLessThan(140);
});
