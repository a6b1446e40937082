import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Outbox } from './outbox.ts';

/** A stream that finishes a write only when told to. */
class Sink extends Writable {
  readonly writes: string[] = [];
  #finish: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 10, decodeStrings: false });
  }

  override _write(text: string, _encoding: string, done: () => void): void {
    this.writes.push(text);
    this.#finish = done;
  }

  finish(): void {
    this.#finish?.();
  }
}

function outboxOf(sink: Writable): { outbox: Outbox; events: string[] } {
  const events: string[] = [];
  const outbox = new Outbox(sink, {
    onFull: () => events.push('full'),
    onDrain: () => events.push('drain'),
    onOverflow: () => events.push('overflow'),
  });
  return { outbox, events };
}

describe('an outbox', () => {
  test('writes the lines of one turn at once', async () => {
    const sink = new Sink();
    const { outbox } = outboxOf(sink);
    expect(outbox.push('1\n')).toBeUndefined();
    queueMicrotask(() => outbox.push('2\n'));
    process.nextTick(() => outbox.push('3\n'));
    expect(sink.writes).toEqual([]);
    await turn();
    expect(sink.writes.map((text) => text.split('\n').sort().join(''))).toEqual(['123']);
  });

  test('does not wait for the end of the turn when it has much to write', () => {
    const sink = new Sink();
    const { outbox, events } = outboxOf(sink);
    expect(outbox.push(`${'x'.repeat(70_000)}\n`)).toBeInstanceOf(Promise);
    expect(sink.writes).toHaveLength(1);
    expect(events).toEqual(['full']);
  });

  test('holds lines back while the stream is full, and its senders with them', async () => {
    const sink = new Sink();
    const { outbox, events } = outboxOf(sink);
    void outbox.push('more than ten bytes\n');
    await turn();
    expect(outbox.full).toBe(true);
    const sent = outbox.push('later\n');
    void outbox.push('and later\n');
    await turn();
    expect(sink.writes).toEqual(['more than ten bytes\n']);

    sink.finish();
    // What waited was more than the stream takes, so it is full again.
    expect(sink.writes).toEqual(['more than ten bytes\n', 'later\nand later\n']);
    expect(events).toEqual(['full', 'full']);
    sink.finish();
    await sent;
    expect(events).toEqual(['full', 'full', 'drain']);
    expect(outbox.empty).toBe(true);
  });

  test('keeps 64 MiB for a peer that does not read, and says when it is more', () => {
    const { outbox, events } = outboxOf(new Sink());
    const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    // The first is in the stream, the others wait here.
    for (let i = 0; i < 65; i++) void outbox.push(line);
    expect(events).toEqual(['full']);
    void outbox.push('\n');
    expect(events).toEqual(['full', 'overflow']);
  });

  test('counts only what still waits', async () => {
    const sink = new Sink();
    const { outbox, events } = outboxOf(sink);
    const line = `${'x'.repeat(16 * 1024 * 1024 - 1)}\n`;
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 3; i++) void outbox.push(line);
      while (!outbox.empty) {
        sink.finish();
        await turn();
      }
    }
    expect(events).not.toContain('overflow');
  });

  test('flushes until the stream has finished its writes', async () => {
    const sink = new Sink();
    const { outbox } = outboxOf(sink);
    void outbox.push('last\n');
    const flushed = outbox.flush(60_000);
    expect(sink.writes).toEqual(['last\n']);
    expect(outbox.empty).toBe(false);
    sink.finish();
    await flushed;
    expect(outbox.empty).toBe(true);
    await outbox.flush(60_000);
  });

  test('gives up flushing into a stream that does not move', async () => {
    const { outbox } = outboxOf(new Sink());
    void outbox.push('last\n');
    await outbox.flush(10);
    expect(outbox.empty).toBe(false);
  });

  test('lets everybody go when it closes, and leaves no listener', async () => {
    const sink = new Sink();
    const { outbox } = outboxOf(sink);
    const sent = outbox.push('x'.repeat(70_000));
    const flushed = outbox.flush(60_000);
    outbox.close();
    await Promise.all([sent, flushed]);
    expect(sink.listenerCount('drain')).toBe(0);
  });
});
