import { expect, test, vi } from 'vitest';
import type { Payload } from './json/parse-message.ts';
import { memoryPair } from './memory-transport.ts';
import type { Message } from './message.ts';
import type { Receiver } from './transport.ts';

const ping = (id: number): Message => ({ jsonrpc: '2.0', id, method: 'ping' });

function receiver(): Receiver & { got: Payload[]; closed: number } {
  const self = {
    got: [] as Payload[],
    closed: 0,
    onMessage: (payload: Payload) => {
      self.got.push(payload);
    },
    onError: vi.fn(),
    onClose: () => {
      self.closed++;
    },
  };
  return self;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('messages arrive in order, in a later microtask and as copies', async () => {
  const [near, far] = memoryPair();
  const there = receiver();
  await near.connect(receiver());
  await far.connect(there);
  const message = { jsonrpc: '2.0', id: 1, method: 'a', params: { list: [1] } } as const;
  void near.send(message);
  void near.send([ping(2), ping(3)]);
  void near.send(ping(4));
  expect(there.got).toEqual([]);
  await turn();
  expect(there.got).toEqual([message, [ping(2), ping(3)], ping(4)]);
  expect((there.got[0] as { params: object }).params).not.toBe(message.params);
});

test('messages that were sent before the other end connected arrive in order when it connects', async () => {
  const [near, far] = memoryPair();
  const there = receiver();
  await near.connect(receiver());
  void near.send(ping(1));
  void near.send(ping(2));
  await turn();
  void near.send(ping(3));
  await far.connect(there);
  await turn();
  expect(there.got).toEqual([ping(1), ping(2), ping(3)]);
});

test('onClose is called once at both ends, after the messages that were sent before', async () => {
  const [near, far] = memoryPair();
  const [here, there] = [receiver(), receiver()];
  await near.connect(here);
  await far.connect(there);
  void near.send(ping(1));
  await near.disconnect();
  await near.disconnect();
  await far.disconnect();
  await turn();
  expect(there.got).toEqual([ping(1)]);
  expect([here.closed, there.closed, near.connected, far.connected]).toEqual([1, 1, false, false]);
});

test('no message arrives after the end, and send throws', async () => {
  const [near, far] = memoryPair();
  const there = receiver();
  await near.connect(receiver());
  await far.connect(there);
  void near.send(ping(1));
  await far.disconnect();
  await turn();
  expect(there.got).toEqual([]);
  expect(() => near.send(ping(2))).toThrow(expect.objectContaining({ code: 'closed' }));
  expect(() => far.send(ping(2))).toThrow(expect.objectContaining({ code: 'closed' }));
});

test('a second connect is rejected', async () => {
  const [near] = memoryPair();
  await near.connect(receiver());
  expect(near.connected).toBe(true);
  await expect(near.connect(receiver())).rejects.toMatchObject({ code: 'failed' });
});

test('connecting to a closed pair is rejected, or onClose is called', async () => {
  const [near, far] = memoryPair();
  await near.connect(receiver());
  await near.disconnect();
  await turn();
  const late = receiver();
  const refused = await far.connect(late).then(
    () => false,
    () => true,
  );
  await turn();
  expect(refused || late.closed === 1).toBe(true);
});

test('send throws at once for a value that JSON cannot represent', async () => {
  const [near, far] = memoryPair();
  const there = receiver();
  await near.connect(receiver());
  await far.connect(there);
  expect(() => near.send({ jsonrpc: '2.0', id: 1, result: { a: 1n } })).toThrow(TypeError);
  await turn();
  expect(there.got).toEqual([]);
});
