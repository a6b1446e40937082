import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Payload } from '../../jsonrpc/json/parse-message.ts';
import type { Request } from '../../jsonrpc/message.ts';
import { StreamTransport } from './stream-transport.ts';

const linesOf = (count: number): string =>
  Array.from({ length: count }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`).join('');

function workFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('lines that take long are delivered in slices, in order, and the end is told after the last', async () => {
  const input = new PassThrough();
  const ids: unknown[] = [];
  const slices: number[] = [];
  let ended = -1;
  const transport = new StreamTransport(input, new PassThrough(), {
    onEnd: () => {
      ended = ids.length;
    },
  });
  await transport.connect({
    onMessage: (payload: Payload) => {
      ids.push((payload as Request).id);
      workFor(1);
    },
    onError: () => {},
    onClose: () => {},
  });
  input.end(linesOf(200));
  while (ended === -1) {
    await turn();
    if (ids.length > 0) slices.push(ids.length);
  }
  expect(ids).toEqual(Array.from({ length: 200 }, (_, id) => id));
  expect(ended).toBe(200);
  expect(slices.length).toBeGreaterThan(3);
  expect(Math.max(...slices.map((count, at) => count - (slices[at - 1] ?? 0)))).toBeLessThan(100);
});

test('the input is paused while other events have their turn', async () => {
  const input = new PassThrough();
  const transport = new StreamTransport(input, new PassThrough());
  await transport.connect({ onMessage: () => workFor(1), onError: () => {}, onClose: () => {} });
  const paused = once(input, 'pause');
  input.write(linesOf(200));
  await paused;
  await once(input, 'resume');
  await transport.disconnect();
});

test('a connection that refuses noise ends after 1,000 unreadable lines in a row, reported once', async () => {
  const input = new PassThrough();
  const errors: Error[] = [];
  let faults = 0;
  const closed = new Promise<void>((resolve) => {
    const transport = new StreamTransport(input, new PassThrough(), { refusesNoise: true });
    void transport.connect({
      onMessage: (payload) => {
        if (payload instanceof Error) faults++;
      },
      onError: (error) => errors.push(error),
      onClose: () => resolve(),
    });
  });
  input.write(`${'x\n'.repeat(999)}{"jsonrpc":"2.0","method":"x"}\n${'x\n'.repeat(2000)}`);
  await closed;
  expect(faults).toBe(1999);
  expect(errors.map(({ message }) => message)).toEqual([
    'The client sent 1000 messages in a row that are not JSON-RPC: the connection is closed',
  ]);
});

test('without that, lines too short for a message are skipped', async () => {
  const input = new PassThrough();
  const seen: Payload[] = [];
  const ended = new Promise<void>((resolve) => {
    const transport = new StreamTransport(input, new PassThrough(), { onEnd: resolve });
    void transport.connect({ onMessage: (payload) => seen.push(payload), onError: () => {}, onClose: () => {} });
  });
  input.end(`${'x\n'.repeat(5000)}${linesOf(1)}`);
  await ended;
  expect(seen).toHaveLength(1001);
  expect(seen.at(-1)).toMatchObject({ id: 0 });
});
