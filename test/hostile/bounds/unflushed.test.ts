/** Clients that ask for much and read nothing. */

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { bodyOf, connectAndSend, OTHER_CALLER, post, rawPost } from './http.ts';
import { startVictim, type Victim } from './victim.ts';

let victim: Victim<{ port: number; webSocketUrl: string }>;
let sockets: Socket[] = [];

beforeEach(async () => {
  victim = await startVictim('server', { env: { SLOW_READER_MS: '2000' } });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await victim.close();
});

const large = (tool: string): string => rawPost('tools/call', { name: tool });

/** Sends, does not read, and settles when the server has broken the connection off. */
async function neglect(bytes: string, from?: string): Promise<void> {
  const socket = await connectAndSend(victim.ready.port, bytes, from);
  sockets.push(socket);
  // A paused socket does not see its end; one that is written to does, and the server does not mind.
  await new Promise<void>((resolve) => {
    const probe = setInterval(() => socket.write(' '), 200);
    socket.once('close', () => {
      clearInterval(probe);
      resolve();
    });
  });
}

async function othersAreServed(from = OTHER_CALLER): Promise<void> {
  const { status, text } = await post(victim.ready.port, 'tools/call', { name: 'quick' }, { from });
  expect([status, text]).toEqual([200, expect.stringContaining('quick')]);
}

test.each(['large', 'later'])(
  'a thousand requests for 8 MB on one connection that reads nothing: tool %s, memory is bounded, the connection ends',
  async (tool) => {
    const cost = await victim.during(async () => {
      const ended = neglect(large(tool).repeat(1000));
      await othersAreServed();
      await ended;
      await othersAreServed();
    });
    expect(cost.peakRssMb).toBeLessThan(300);
  },
);

test.each(['large', 'later'])(
  '200 connections that read nothing of 8 MB: tool %s, memory is bounded, others are served, all connections end',
  async (tool) => {
    const cost = await victim.during(async () => {
      const ended = Promise.all(Array.from({ length: 200 }, () => neglect(large(tool))));
      for (let times = 0; times < 5; times++) await othersAreServed();
      await ended;
      await othersAreServed('127.0.0.1');
    });
    expect(cost.peakRssMb).toBeLessThan(400);
  },
);

test('40 WebSocket clients that read nothing of 3 times 8 MB: memory is bounded, others are served, all are dropped', async () => {
  const cost = await victim.during(async () => {
    const clients = Array.from({ length: 40 }, () => new WebSocket(victim.ready.webSocketUrl, 'mcp'));
    const ended = clients.map(async (client) => {
      await once(client, 'open');
      client.pause();
      for (const id of [1, 2, 3]) client.send(bodyOf('tools/call', { name: 'large' }, id));
      // The end of a connection that is paused shows when it is written to.
      const probe = setInterval(() => client.readyState === WebSocket.OPEN && client.ping(), 200);
      await new Promise((resolve) => client.once('error', resolve).once('close', resolve));
      clearInterval(probe);
    });
    await othersAreServed();
    await Promise.all(ended);
    await othersAreServed();
  });
  expect(cost.peakRssMb).toBeLessThan(400);
});

test('a client that reads slowly gets all of its 8 MB', async () => {
  const socket = await connectAndSend(victim.ready.port, large('large'));
  sockets.push(socket);
  let received = 0;
  for (const until = Date.now() + 60_000; received < 8 * 2 ** 20 && Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const chunk: Buffer | null = socket.read();
    received += chunk?.length ?? 0;
    if (!chunk) socket.read(0);
  }
  expect(received).toBeGreaterThan(8 * 2 ** 20);
});
