import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { childInput } from './child-input.ts';

describe('the stdin of a program', () => {
  test('gets what is written, and its end', async () => {
    const stdin = new PassThrough();
    const { stream } = childInput(stdin, () => {});
    stream.write('one\n');
    stream.end('zwölf\n');
    expect(await stdin.toArray().then((chunks) => Buffer.concat(chunks).toString())).toBe('one\nzwölf\n');
  });

  test('that breaks says so once, and takes what comes after', async () => {
    const stdin = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const onBreak = vi.fn();
    const { stream } = childInput(stdin, onBreak);
    const results: unknown[] = [];
    for (const text of ['one', 'two', 'three']) {
      stream.write(text, (error) => results.push(error ?? 'taken'));
      await turn();
    }
    expect(results).toEqual(['taken', 'taken', 'taken']);
    expect(onBreak).toHaveBeenCalledOnce();
    expect(stream.destroyed).toBe(false);
  });

  test('of a program that is gone keeps nobody waiting', async () => {
    const stdin = new Writable({ write: () => {} });
    const { stream } = childInput(stdin, () => {});
    expect(stream.write('x'.repeat(100_000))).toBe(false);
    stdin.destroy();
    await once(stream, 'drain');
  });

  test('is closed at once if the program does not read', async () => {
    const stdin = new Writable({ write: () => {} });
    const { stream, close } = childInput(stdin, () => expect.fail('not broken'));
    stream.write('x');
    close();
    expect(stdin.destroyed).toBe(true);
    await once(stdin, 'close');
  });
});
