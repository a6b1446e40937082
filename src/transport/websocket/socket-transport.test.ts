import { describe, expect, test } from 'vitest';
import { ConnectionError } from '../../jsonrpc/errors.ts';
import { JSON_LIMITS } from '../../jsonrpc/json/message-limits.ts';
import type { Payload } from '../../jsonrpc/json/parse-message.ts';
import type { Request } from '../../jsonrpc/message.ts';
import type { Receiver } from '../../jsonrpc/transport.ts';
import { CloseCode, CONGESTED_BYTES, type Socket, type SocketListener } from './socket.ts';
import { SocketTransport, type SocketTransportOptions } from './socket-transport.ts';

const UNREAD_BYTES = 4 * CONGESTED_BYTES;

/** A socket whose peer reads when it is told to. */
class FakeSocket implements Socket {
  unsent = 0;
  readonly did: string[] = [];

  send(text: string): void {
    this.unsent += text.length;
  }

  pause(): void {
    this.did.push('pause');
  }

  resume(): void {
    this.did.push('resume');
  }

  close(code: CloseCode): void {
    this.did.push(`close ${code}`);
  }

  terminate(): void {
    this.did.push('terminate');
  }
}

class Recorder implements Receiver {
  readonly messages: Payload[] = [];
  readonly errors: Error[] = [];
  readonly closes: (Error | undefined)[] = [];
  onMessage(payload: Payload): void {
    this.messages.push(payload);
  }
  onError(error: Error): void {
    this.errors.push(error);
  }
  onClose(cause?: Error): void {
    this.closes.push(cause);
  }
}

const ping = (id: number, size = 0): Request => ({
  jsonrpc: '2.0',
  id,
  method: 'ping',
  params: { x: 'x'.repeat(size) },
});
const bytesOf = (id: number): Uint8Array => new TextEncoder().encode(JSON.stringify(ping(id)));

async function connected(
  receiver: Receiver,
  options: Partial<SocketTransportOptions> = {},
): Promise<{ transport: SocketTransport; socket: FakeSocket; listener: SocketListener }> {
  const socket = new FakeSocket();
  const transport = new SocketTransport((listener) => listener.onOpen(socket), {
    structure: JSON_LIMITS,
    messageBytes: 1000,
    unreadBytes: UNREAD_BYTES,
    alwaysReads: false,
    goodbye: CloseCode.GoingAway,
    ...options,
  });
  await transport.connect(receiver);
  return { transport, socket, listener: transport };
}

describe('a peer that does not read', () => {
  test('is not read from; what came with the last it sent is delivered in order when it reads again', async () => {
    const receiver = new Recorder();
    const { transport, socket, listener } = await connected(receiver);
    receiver.onMessage = (payload) => {
      receiver.messages.push(payload);
      if ((payload as Request).id === 3) void transport.send(ping(30, 2 * CONGESTED_BYTES));
    };
    const waiting = transport.send(ping(1, CONGESTED_BYTES));
    expect(waiting).toBeInstanceOf(Promise);
    expect(socket.did).toEqual(['pause']);
    for (const id of [2, 3, 4]) listener.onText(bytesOf(id));
    expect(receiver.messages).toEqual([]);

    socket.unsent = CONGESTED_BYTES;
    listener.onSent();
    expect(receiver.messages).toEqual([]);
    socket.unsent = 0;
    listener.onSent();
    await waiting;
    // The answer to the second is again more than it reads.
    expect(receiver.messages).toMatchObject([{ id: 2 }, { id: 3 }]);
    expect(socket.did).toEqual(['pause', 'pause']);
    socket.unsent = 0;
    listener.onSent();
    expect(receiver.messages).toMatchObject([{ id: 2 }, { id: 3 }, { id: 4 }]);
    expect(socket.did).toEqual(['pause', 'pause', 'resume']);
  });

  test('is read from by those who have to', async () => {
    const receiver = new Recorder();
    const { transport, socket, listener } = await connected(receiver, { alwaysReads: true });
    expect(transport.send(ping(1, CONGESTED_BYTES))).toBeInstanceOf(Promise);
    listener.onText(bytesOf(2));
    expect(receiver.messages).toMatchObject([{ id: 2 }]);
    expect(socket.did).toEqual([]);
  });

  test('gets one message of any length, and no other when it leaves that unread', async () => {
    const receiver = new Recorder();
    const { transport, socket, listener } = await connected(receiver);
    const waiting = transport.send(ping(1, 2 * UNREAD_BYTES));
    expect(() => transport.send(ping(2))).toThrow('does not read what it is sent');
    expect(socket.did).toEqual(['pause', 'terminate']);
    expect(transport.connected).toBe(false);
    listener.onEnd(new ConnectionError('closed', 'gone'));
    await waiting;
    expect(receiver.closes).toMatchObject([
      { code: 'failed', message: 'The other side does not read what it is sent' },
    ]);
  });
});

test('nothing arrives after the goodbye, and an end that was asked for has no cause', async () => {
  const receiver = new Recorder();
  const { transport, socket, listener } = await connected(receiver);
  const disconnected = transport.disconnect();
  expect(socket.did).toEqual(['resume', 'close 1001']);
  listener.onText(bytesOf(1));
  listener.onEnd(new ConnectionError('closed', 'The connection broke'));
  listener.onEnd();
  await disconnected;
  expect([receiver.messages, receiver.closes]).toEqual([[], [undefined]]);
});

test('what a receiver throws is told to it, and the next message comes', async () => {
  const receiver = new Recorder();
  const { listener } = await connected(receiver);
  receiver.onMessage = () => {
    throw new Error('a bug');
  };
  listener.onText(bytesOf(1));
  expect(receiver.errors).toMatchObject([{ message: 'a bug' }]);
});

test('what cannot be written as JSON is thrown, and nothing is sent', async () => {
  const { transport, socket } = await connected(new Recorder());
  const circle: Record<string, unknown> = {};
  circle['circle'] = circle;
  expect(() => transport.send({ jsonrpc: '2.0', method: 'x', params: circle })).toThrow(TypeError);
  expect(socket.unsent).toBe(0);
});

test('a socket that opens when nobody wants it any more is ended', async () => {
  const socket = new FakeSocket();
  let listener: SocketListener | undefined;
  let signal: AbortSignal | undefined;
  const transport = new SocketTransport(
    (given, aborted) => {
      listener = given;
      signal = aborted;
    },
    {
      structure: JSON_LIMITS,
      messageBytes: 1000,
      unreadBytes: UNREAD_BYTES,
      alwaysReads: true,
      goodbye: CloseCode.Normal,
    },
  );
  const receiver = new Recorder();
  const connecting = expect(transport.connect(receiver)).rejects.toMatchObject({ code: 'closed' });
  await transport.disconnect();
  await connecting;
  expect(signal?.aborted).toBe(true);
  listener?.onOpen(socket);
  expect(socket.did).toEqual(['terminate']);
  expect([transport.connected, receiver.closes]).toEqual([false, []]);
});

describe('a flood of messages', () => {
  const workFor = (milliseconds: number): void => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  };

  test('is delivered in slices, in order, and the end is told after the last', async () => {
    const receiver = new Recorder();
    const { socket, listener } = await connected(receiver);
    receiver.onMessage = (payload) => {
      receiver.messages.push(payload);
      workFor(1);
    };
    for (let id = 0; id < 100; id++) listener.onText(bytesOf(id));
    listener.onEnd();
    expect(receiver.messages.length).toBeLessThan(100);
    expect(socket.did).toEqual(['pause']);
    expect(receiver.closes).toEqual([]);
    while (receiver.closes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(receiver.messages.map((message) => (message as Request).id)).toEqual(
      Array.from({ length: 100 }, (_, id) => id),
    );
  });

  test('of 1,000 that cannot be read ends the connection with 1008 on a server, reported once', async () => {
    const receiver = new Recorder();
    const { socket, listener } = await connected(receiver, { refusesNoise: true });
    while (receiver.errors.length === 0) {
      for (let count = 0; count < 100; count++) listener.onText('x');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(receiver.messages).toHaveLength(1000);
    expect(socket.did).toContain('close 1008');
    expect(receiver.errors).toHaveLength(1);
  });
});

test('a peer that sends on after the close frame is cut off after 1,000 messages', async () => {
  const { socket, listener } = await connected(new Recorder());
  listener.onText('x'.repeat(1001));
  expect(socket.did).toContain(`close ${CloseCode.TooBig}`);
  for (let sent = 0; sent < 1000; sent++) listener.onText('{');
  expect(socket.did).not.toContain('terminate');
  listener.onText('{');
  expect(socket.did.at(-1)).toBe('terminate');
});
