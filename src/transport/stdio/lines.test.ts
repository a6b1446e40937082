import { describe, expect, test } from 'vitest';
import { Lines } from './lines.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
// Blanks around a line and a byte order mark are left to whoever reads it.
const text = (line: string | Uint8Array | undefined): string =>
  Buffer.from(line ?? [])
    .toString()
    .replace(/^[ \t\r\ufeff]+|[ \t\r]+$/g, '');

/** Everything a splitter makes of these chunks: lines as text, `too long` for a line that was dropped. */
function split(chunks: Iterable<string | Uint8Array>, maxLength?: number): string[] {
  const seen: string[] = [];
  const lines = new Lines({ maxLength, onTooLong: () => seen.push('too long') });
  const take = (): void => {
    for (let line = lines.next(); line !== undefined; line = lines.next()) seen.push(text(line));
  };
  for (const chunk of chunks) {
    lines.push(typeof chunk === 'string' ? bytes(chunk) : chunk);
    take();
  }
  lines.end();
  take();
  return seen;
}

function* cut(text: Uint8Array, size: number): Iterable<Uint8Array> {
  for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size);
}

describe('lines', () => {
  test('are cut at line feeds', () => {
    expect(split(['one\ntwo\nthree\n'])).toEqual(['one', 'two', 'three']);
  });

  test('may end in CR LF', () => {
    expect(split(['one\r\ntwo\r', '\nthree\n'])).toEqual(['one', 'two', 'three']);
  });

  test.each([1, 2, 3, 5, 7, 1000])('come out the same in chunks of %i bytes', (size) => {
    const text = '{"a":"é世界😀\u2028"}\n\n  \r\n{"b":2}\r\nlast\n';
    expect(split(cut(bytes(text), size))).toEqual(['{"a":"é世界😀\u2028"}', '{"b":2}', 'last']);
  });

  test('that are blank are skipped', () => {
    expect(split(['\n\r\n   \n\t\none\n \n'])).toEqual(['one']);
    expect(split(['', '\n', '', 'one', '', '\n'])).toEqual(['one']);
  });

  test('of 256 KB of nothing but line feeds cost little', () => {
    const start = performance.now();
    expect(split([...cut(Buffer.alloc(256 * 1024, '\n'), 65_536), 'alive\n'])).toEqual(['alive']);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test('that have nothing but a byte order mark are blank, whole or in pieces', () => {
    expect(split(['\ufeff\none\n'])).toEqual(['one']);
    expect(split(cut(bytes('\ufeff\r\n\ufeffone\ntwo\n'), 1))).toEqual(['one', 'two']);
  });

  test('are pieced together in the same place, one after the other, unless they are very long', () => {
    const lines = [100_000, 3_000_000, 20_000, 2 * 1024 * 1024].map((length, at) => String(at).repeat(length));
    expect(split(cut(bytes(`${lines.join('\n')}\n`), 65_536))).toEqual(lines);
  });

  test('without an end are delivered when the stream ends', () => {
    expect(split(['one\ntw', 'o'])).toEqual(['one', 'two']);
    expect(split(['one\n   '])).toEqual(['one']);
  });

  test('of 8 MiB in chunks of 4 KB take linear time', () => {
    const line = Buffer.concat([Buffer.alloc(8 * 1024 * 1024, 'a'), bytes('\nalive\n')]);
    const start = performance.now();
    const seen = split(cut(line, 4096));
    expect(performance.now() - start).toBeLessThan(1000);
    expect(seen.map((text) => text.length)).toEqual([8 * 1024 * 1024, 5]);
  });

  test('are asked for one by one, so that a reader can stop in the middle of a chunk', () => {
    const lines = new Lines({ onTooLong: () => {} });
    lines.push(bytes('one\ntwo\nth'));
    expect(text(lines.next())).toBe('one');
    lines.push(bytes('ree\n'));
    expect(text(lines.next())).toBe('two');
    expect(text(lines.next())).toBe('three');
    expect(lines.next()).toBeUndefined();
  });
});

describe('a line that is too long', () => {
  test.each([1, 3, 4, 100])('is reported once and skipped, in chunks of %i bytes', (size) => {
    expect(split(cut(bytes('12345\n123456\n1234567890123\nabc\n'), size), 5)).toEqual([
      '12345',
      'too long',
      'too long',
      'abc',
    ]);
  });

  test('is reported before its end arrives, with its first bytes', () => {
    const heads: string[] = [];
    const lines = new Lines({ maxLength: 6, onTooLong: (head) => heads.push(text(head)) });
    lines.push(bytes('{"id":1'));
    expect(lines.next()).toBeUndefined();
    expect(heads).toEqual(['{"id":1']);
    lines.push(bytes(',"x":1}'));
    expect(lines.next()).toBeUndefined();
    lines.push(bytes('\nok\n'));
    expect(text(lines.next())).toBe('ok');
    expect(heads).toHaveLength(1);
  });

  test('at the end of the stream is reported once', () => {
    expect(split(['ok\n', '1234567', '89'], 5)).toEqual(['ok', 'too long']);
  });

  test('of 100 MiB leaves no memory behind', () => {
    const chunk = Buffer.alloc(1024 * 1024, 'a');
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    function* stream(): Iterable<Uint8Array> {
      for (let i = 0; i < 100; i++) {
        yield chunk;
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
      }
      yield bytes('\nalive\n');
    }
    expect(split(stream())).toEqual(['too long', 'alive']);
    expect(peak).toBeLessThan(64 * 1024 * 1024);
  });
});
