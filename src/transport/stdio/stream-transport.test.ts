import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ConnectionError, ParseError } from '../../jsonrpc/errors.ts';
import type { Payload } from '../../jsonrpc/json/parse-message.ts';
import type { Message, Request } from '../../jsonrpc/message.ts';
import type { Receiver } from '../../jsonrpc/transport.ts';
import { StreamTransport, type StreamTransportOptions } from './stream-transport.ts';

/** A receiver that remembers, and a promise for the end. */
class Recorder implements Receiver {
  readonly messages: Payload[] = [];
  readonly errors: Error[] = [];
  readonly closes: (Error | undefined)[] = [];
  readonly closed: Promise<void>;
  answer: (payload: Payload) => void = () => {};
  #close: () => void = () => {};

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  onMessage(payload: Payload): void {
    this.messages.push(payload);
    this.answer(payload);
  }

  onError(error: Error): void {
    this.errors.push(error);
  }

  onClose(cause?: Error): void {
    this.closes.push(cause);
    this.#close();
  }
}

const ping = (id: number): Request => ({ jsonrpc: '2.0', id, method: 'ping' });
const listeners = (stream: Readable | Writable): number =>
  ['data', 'end', 'close', 'error', 'drain'].reduce((sum, name) => sum + stream.listenerCount(name), 0);

async function connected(
  input: Readable,
  output: Writable,
  options?: StreamTransportOptions,
): Promise<{ transport: StreamTransport; receiver: Recorder }> {
  const transport = new StreamTransport(input, output, options);
  const receiver = new Recorder();
  await transport.connect(receiver);
  return { transport, receiver };
}

describe('reading', () => {
  test('delivers a message per line, then says once that the input ended', async () => {
    const input = new PassThrough();
    const order: unknown[] = [];
    const { receiver } = await connected(input, new PassThrough(), { onEnd: () => order.push('end') });
    receiver.answer = (message) => order.push(message);
    input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n\n{"jsonrpc":"2.0","id":2,"method":"ping"}');
    await once(input, 'close');
    expect(order).toEqual([ping(1), ping(2), 'end']);
  });

  test('takes text as well as bytes', async () => {
    const input = new PassThrough({ encoding: 'utf8' });
    const { receiver } = await connected(input, new PassThrough(), { onEnd: () => {} });
    input.end('{"jsonrpc":"2.0","id":1,"method":"é"}\n');
    await once(input, 'end');
    expect(receiver.messages).toEqual([{ jsonrpc: '2.0', id: 1, method: 'é' }]);
  });

  test('hands on why a line could not be read, and goes on', async () => {
    const input = new PassThrough();
    const { receiver } = await connected(input, new PassThrough(), { maxLineLength: 50, onEnd: () => {} });
    input.write('not json\n');
    input.write(Buffer.from([0xff, 0xfe, 0x0a]));
    input.write(`{"jsonrpc":"2.0","id":"big","method":"${'x'.repeat(100)}"}\n`);
    input.write(`{"jsonrpc":"2.0","id":8,"result":{"x":"${'x'.repeat(100)}"}}\n`);
    input.write(`${'x'.repeat(100)}\n`);
    input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(input, 'end');
    const seen = receiver.messages.map((payload) =>
      payload instanceof ParseError ? [payload.code, payload.id, payload.isResponse] : payload,
    );
    expect(seen).toEqual([
      ['MalformedJson', undefined, false],
      ['MalformedJson', undefined, false],
      ['TooLong', 'big', false],
      ['TooLong', 8, true],
      ['TooLong', undefined, false],
      ping(1),
    ]);
  });

  test('tells a receiver that throws of its own fault, and goes on', async () => {
    const input = new PassThrough();
    const { receiver } = await connected(input, new PassThrough(), { onEnd: () => {} });
    receiver.answer = () => {
      throw new Error('oops');
    };
    input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    await once(input, 'end');
    expect(receiver.messages).toHaveLength(2);
    expect(receiver.errors.map((error) => error.message)).toEqual(['oops', 'oops']);
  });

  test('of an input that ended before ends at once', async () => {
    const input = new PassThrough();
    input.resume().end();
    await once(input, 'end');
    const { receiver } = await connected(input, new PassThrough());
    await receiver.closed;
    expect(receiver.closes).toEqual([undefined]);
  });

  test('without an `onEnd` disconnects when the input ends', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const { transport, receiver } = await connected(input, output);
    receiver.answer = () => transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await receiver.closed;
    expect(output.read().toString()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
  });
});

describe('writing', () => {
  test('puts the messages of one turn into one write', async () => {
    const writes: string[] = [];
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        writes.push(chunk.toString());
        done();
      },
    });
    const { transport } = await connected(new PassThrough(), output);
    await transport.send(ping(1));
    await transport.send([ping(2), ping(3)]);
    await turn();
    expect(writes).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' +
        '[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]\n',
    ]);
  });

  test('throws what JSON cannot say before a byte is written', async () => {
    const output = new PassThrough();
    const { transport } = await connected(new PassThrough(), output);
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    let deep: unknown = [];
    for (let i = 0; i < 100_000; i++) deep = [deep];
    for (const result of [1n, cycle, deep]) {
      expect(() => transport.send({ jsonrpc: '2.0', id: 1, result } as Message)).toThrow();
    }
    await transport.send(ping(2));
    await turn();
    expect(output.read().toString()).toBe('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
  });

  test('before connecting and after the end throws', async () => {
    const transport = new StreamTransport(new PassThrough(), new PassThrough());
    expect(() => transport.send(ping(1))).toThrow(ConnectionError);
    await transport.connect(new Recorder());
    expect(transport.connected).toBe(true);
    await transport.disconnect();
    expect(transport.connected).toBe(false);
    expect(() => transport.send(ping(1))).toThrow('The connection is closed');
    await expect(transport.connect(new Recorder())).rejects.toThrow('was connected before');
  });

  test('to a stream that is closed already is refused at once', async () => {
    const output = new PassThrough();
    output.destroy();
    await expect(new StreamTransport(new PassThrough(), output).connect(new Recorder())).rejects.toThrow('is closed');
  });
});

describe('a peer that stops reading', () => {
  /** Requests made only as fast as they are read. */
  function requests(count: number, padding: string): Readable {
    return Readable.from(
      (function* () {
        for (let id = 0; id < count; id++) {
          yield Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping","params":{"padding":"${padding}"}}\n`);
        }
      })(),
    );
  }

  test('is not read from either, in the middle of a chunk, and later gets every answer', async () => {
    const input = new PassThrough();
    const output = new PassThrough({ highWaterMark: 1000 });
    const { transport, receiver } = await connected(input, output, { onEnd: () => {} });
    let waited: unknown;
    receiver.answer = () => {
      waited = transport.send({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(70_000) } });
    };
    input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n'.repeat(20));
    await turn();
    expect(input.isPaused()).toBe(true);
    expect(receiver.messages).toHaveLength(1);
    expect(waited).toBeInstanceOf(Promise);

    let text = '';
    for await (const chunk of output) {
      text += chunk;
      if (text.split('\n').length > 20) break;
    }
    await waited;
    expect(receiver.messages).toHaveLength(20);
  });

  test('is read from all the same if the options say so, for it may be waiting for that', async () => {
    const input = new PassThrough();
    const output = new Writable({ write: () => {} });
    const { transport, receiver } = await connected(input, output, { alwaysReads: true, onEnd: () => {} });
    receiver.answer = () => void transport.send({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(70_000) } });
    input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n'.repeat(20));
    await once(input, 'end');
    expect(receiver.messages).toHaveLength(20);
  });

  test('is given up when more than 64 MiB wait for it', async () => {
    const output = new Writable({ write: () => {} });
    const { transport, receiver } = await connected(new PassThrough(), output);
    const large: Message = { jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(16 * 1024 * 1024) } };
    const sent: unknown[] = [];
    for (let i = 0; i < 4; i++) sent.push(transport.send(large));
    expect([transport.connected, receiver.closes]).toEqual([true, []]);
    sent.push(transport.send(large));
    expect(transport.connected).toBe(false);
    expect(receiver.closes).toHaveLength(1);
    expect(receiver.closes[0]).toBeInstanceOf(ConnectionError);
    expect(receiver.closes[0]).toMatchObject({ code: 'failed', message: 'The peer does not read what it is sent' });
    expect(() => transport.send(ping(2))).toThrow(ConnectionError);
    // Nobody is left waiting.
    await Promise.all(sent);
  });

  test('takes in only a few of 50 MB of requests until it reads, then all', async () => {
    const count = 5_000;
    const output = new PassThrough();
    const { transport, receiver } = await connected(requests(count, 'x'.repeat(10_000)), output, { onEnd: () => {} });
    let received = 0;
    receiver.answer = (payload) => {
      receiver.messages.length = 0;
      const { id, params } = payload as Request;
      received++;
      void transport.send({ jsonrpc: '2.0', id, result: params });
    };
    await turn();
    for (let i = 0; i < 100; i++) await turn();
    expect(received).toBeLessThan(100);

    let answered = 0;
    for await (const chunk of output) {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) answered++;
      if (answered === count) break;
    }
    expect(received).toBe(count);
  });
});

describe('the end', () => {
  test('comes after what was sent before it, and once', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const { transport, receiver } = await connected(input, output);
    await transport.send(ping(1));
    await Promise.all([transport.disconnect(), transport.disconnect()]);
    await transport.disconnect();
    expect(receiver.closes).toEqual([undefined]);
    expect(output.read().toString()).toBe('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(input.destroyed).toBe(true);
    expect(output.writableEnded).toBe(true);
  });

  test('leaves no listener and open streams where they belong to somebody else', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const before = [listeners(input), listeners(output)];
    const { transport } = await connected(input, output, { keepOpen: true });
    await transport.send(ping(1));
    await transport.disconnect();
    expect([listeners(input), listeners(output)]).toEqual(before);
    expect([input.destroyed, output.writable, input.isPaused()]).toEqual([false, true, true]);
  });

  test('is not held up by a peer that does not read for more than a second', async () => {
    const output = new Writable({ write: () => {} });
    const { transport, receiver } = await connected(new PassThrough(), output);
    const sent = transport.send({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(100_000) } });
    const start = performance.now();
    await transport.disconnect();
    await sent;
    expect(performance.now() - start).toBeLessThan(1500);
    expect(receiver.closes).toEqual([undefined]);
  });

  test.each(['EPIPE', 'ECONNRESET'])('comes with its cause when the output breaks with %s', async (code) => {
    const output = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write'), { code })),
    });
    const { transport, receiver } = await connected(new PassThrough(), output);
    await transport.send(ping(1));
    await receiver.closed;
    expect(receiver.closes).toHaveLength(1);
    expect(receiver.closes[0]).toMatchObject({
      code: 'closed',
      message: `The connection broke (${code})`,
      cause: { code },
    });
    await transport.disconnect();
    expect(receiver.closes).toHaveLength(1);
  });

  test('comes when the input breaks or the output closes', async () => {
    const input = new PassThrough();
    const broken = await connected(input, new PassThrough());
    input.destroy(Object.assign(new Error('read'), { code: 'EIO' }));
    await broken.receiver.closed;
    expect(broken.receiver.closes).toMatchObject([{ cause: { code: 'EIO' } }]);

    const output = new PassThrough();
    const closed = await connected(new PassThrough(), output);
    output.destroy();
    await closed.receiver.closed;
    expect(closed.receiver.closes).toEqual([undefined]);
  });

  test('swallows an error of what was still on its way', async () => {
    let fail: (error: Error) => void = () => {};
    const output = new Writable({
      write: (_chunk, _encoding, done) => {
        fail = done;
      },
    });
    const { transport } = await connected(new PassThrough(), output, { keepOpen: true });
    await transport.send(ping(1));
    await transport.disconnect();
    const closed = new Promise((resolve) => output.once('close', resolve));
    fail(new Error('EPIPE, too late'));
    await closed;
    expect(output.errored?.message).toBe('EPIPE, too late');
    expect(listeners(output)).toBe(0);
  });
});
