import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { readStderr, Tail } from './stderr-tail.ts';

function tailOf(...chunks: (string | Uint8Array)[]): string {
  const tail = new Tail();
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.text;
}

describe('the tail of a stream', () => {
  test('is all of it, as long as that is little', () => {
    expect(tailOf()).toBe('');
    expect(tailOf('one\n', '', 'two\n')).toBe('one\ntwo\n');
    expect(tailOf('x'.repeat(4096))).toBe('x'.repeat(4096));
  });

  test('is its last 4096 bytes, however they came', () => {
    const text = Array.from({ length: 3000 }, (_, n) => `${n}\n`).join('');
    const last = text.slice(-4096);
    expect(tailOf(text)).toBe(last);
    expect(tailOf(...(text.match(/.{0,6}\n/g) as string[]))).toBe(last);
    expect(tailOf(text.slice(0, 5000), text.slice(5000, 9000), text.slice(9000))).toBe(last);
    expect(tailOf(text.slice(0, 1), text.slice(1))).toBe(last);
  });

  test('has a longer form of 32 KB, however the bytes came', () => {
    const text = Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join('');
    for (const size of [1000, 32_768, 50_000, text.length]) {
      const tail = new Tail();
      for (let start = 0; start < text.length; start += size) tail.push(Buffer.from(text.slice(start, start + size)));
      expect(tail.longText).toBe(text.slice(-32_768));
      expect(tail.text).toBe(text.slice(-4096));
    }
  });

  test('begins and ends with whole characters', () => {
    expect(tailOf(`${'€'.repeat(2000)}`)).toBe('€'.repeat(1365));
    expect(tailOf('a', Buffer.from('é€').subarray(0, 4))).toBe('aé');
  });

  test('shows bytes that are no text as such', () => {
    expect(tailOf(Uint8Array.of(0x80, 0x61, 0xff, 0x62))).toBe('\ufffda\ufffdb');
  });
});

describe('reading stderr', () => {
  test('tells a listener that fails later, too', async () => {
    const stream = new PassThrough();
    const errors: unknown[] = [];
    const sink = async (text: string): Promise<void> => {
      if (text === 'a') throw 'oops';
      throw new Error(text);
    };
    const tail = readStderr(stream, sink, (error) => errors.push(error.message));
    stream.write('a');
    stream.write('b');
    await turn();
    expect(errors).toEqual(['The listener for stderr failed', 'b']);
    expect(tail.text).toBe('ab');
  });

  test('tells a character that arrives in parts as one', async () => {
    const stream = new PassThrough();
    const sink = vi.fn();
    readStderr(stream, sink, () => {});
    for (const byte of Buffer.from('€!')) stream.write(Buffer.of(byte));
    stream.end(Buffer.from('€').subarray(0, 1));
    await turn();
    expect(sink.mock.calls.flat()).toEqual(['€', '!', '\ufffd']);
  });
});
