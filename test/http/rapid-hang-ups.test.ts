/** Clients that open requests only to hang up: the room a handler takes is free when it ends, not before. */

import { setImmediate } from 'node:timers/promises';
import { McpServer } from 'mcpp/server';
import { expect, test } from 'vitest';
import { web } from './faces.ts';
import { call, statelessHeaders } from './messages.ts';

const REQUESTS = 10_000;
const ROOM = 50;

test('10,000 requests opened and given up one after the other never run more handlers than there is room for', async () => {
  let running = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const server = new McpServer({ name: 's', version: '1' }).registerTool('stubborn', {}, async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => waiting.push(resolve));
    running--;
    return 'done';
  });
  const reached = await web.open(server, { limits: { running: ROOM } });
  const message = call(1, 'stubborn', {}, true);
  const asking = { headers: statelessHeaders(message), body: JSON.stringify(message) };
  for (let one = 0; one < REQUESTS; one++) {
    const asked = reached.ask(asking);
    await setImmediate();
    asked.hangUp();
  }
  expect(most).toBe(ROOM);

  for (const end of waiting.splice(0)) end();
  await setImmediate();
  expect(running).toBe(0);
  const answer = reached.send(asking);
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.();
  expect((await answer).status).toBe(200);
  await reached.close();
});
