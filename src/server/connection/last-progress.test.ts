/** The last progress of a call and its result leave in different turns of the event loop, so that clients read them apart. */

import { McpServer } from 'mcpp/server';
import { testClient } from 'mcpp/testing';
import { expect, test } from 'vitest';
import { open, REVISIONS } from '../../../test/wire.ts';

const server = new McpServer({ name: 's', version: '1' })
  .registerTool('sync', {}, (_, ctx) => {
    ctx.reportProgress(1);
    return 'done';
  })
  .registerTool('async', {}, async (_, ctx) => {
    await Promise.resolve();
    ctx.reportProgress(1);
    return 'done';
  })
  .registerTool('silent', {}, async () => 'done');

const params = (name: string): object => ({ name, _meta: { progressToken: 'p' } });

test.each(REVISIONS)('progress and result are not sent in one turn: %s', async (revision) => {
  for (const name of ['sync', 'async']) {
    const wire = await open(server, { revision });
    const turns: number[] = [];
    let turn = 0;
    const send = wire.send.bind(wire);
    wire.send = (message) => {
      turns.push(turn);
      send(message);
      // The next message of this turn would be written together with this one.
      setImmediate(() => turn++);
    };
    const answer = await wire.call('tools/call', params(name));
    expect(answer.result).toBeDefined();
    expect(wire.received.map(({ method }) => method)).toEqual(['notifications/progress', undefined]);
    expect(turns[1]).toBeGreaterThan(turns[0] ?? 0);
  }
});

test('a call without progress is answered in the turn in which its handler ended', async () => {
  const wire = await open(server);
  const answered = wire.call('tools/call', params('silent'));
  let isLater = false;
  setImmediate(() => {
    isLater = true;
  });
  await answered;
  expect(isLater).toBe(false);
});

test('a call whose result is delayed is still running: close waits for it', async () => {
  const wire = await open(server);
  const answered = wire.call('tools/call', params('sync'));
  await wire.serving?.close({ graceMs: 1000 });
  expect((await answered).result).toBeDefined();
});

test('a call that is cancelled while its result is delayed gets no response', async () => {
  const wire = await open(server);
  void wire.call('tools/call', params('sync'), 7);
  wire.notify('notifications/cancelled', { requestId: 7 });
  await wire.call('tools/call', params('sync'), 8);
  expect(wire.received.filter(({ id }) => id !== undefined).map(({ id }) => id)).toEqual([8]);
});

test('in-process, the result follows the progress in the same turn', async () => {
  const client = await testClient<unknown>(server);
  const told: number[] = [];
  const answered = client.callTool('sync', {}, { onProgress: ({ progress }) => told.push(progress) });
  let isLater = false;
  setImmediate(() => {
    isLater = true;
  });
  await answered;
  expect([told, isLater]).toEqual([[1], false]);
  await client.close();
});
