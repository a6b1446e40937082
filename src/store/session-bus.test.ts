import { expect, test } from 'vitest';
import { memorySessionBus, type SessionBus } from './session-bus.ts';

/** A node that records its messages. */
function addNode(bus: SessionBus<number>, node: string): { readonly got: string[]; readonly stop: () => void } {
  const got: string[] = [];
  const stop = bus.listen(node, (session, message) => void got.push(`${session} ${message}`)) as () => void;
  return { got, stop };
}

test('a message reaches the node it is sent to, and no other', () => {
  const bus = memorySessionBus<number>();
  const [a, b] = [addNode(bus, 'a'), addNode(bus, 'b')];
  expect(bus.send('a', 'session', 1)).toBe(true);
  expect([a.got, b.got]).toEqual([['session 1'], []]);
});

test('send returns false for a node that does not listen', () => {
  const bus = memorySessionBus<number>();
  const { got, stop } = addNode(bus, 'a');
  stop();
  stop();
  expect(bus.send('a', 'session', 1)).toBe(false);
  expect(bus.send('__proto__', 'session', 1)).toBe(false);
  expect(got).toEqual([]);
});

test('a broadcast reaches every node, also if one stops listening meanwhile', () => {
  const bus = memorySessionBus<number>();
  const got: string[] = [];
  const stop = bus.listen('a', () => {
    got.push('a');
    stop();
  }) as () => void;
  const b = addNode(bus, 'b');
  void bus.broadcast('session', 1);
  void bus.broadcast('session', 2);
  expect([got, b.got]).toEqual([['a'], ['session 1', 'session 2']]);
});

test('a closed bus delivers nothing', () => {
  const bus = memorySessionBus<number>();
  addNode(bus, 'a');
  void bus.close?.();
  expect(bus.send('a', 'session', 1)).toBe(false);
});
