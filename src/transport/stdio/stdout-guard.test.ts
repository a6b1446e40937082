import { Console } from 'node:console';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { guardStdout } from './stdout-guard.ts';

const text = (stream: PassThrough): string => String(stream.read() ?? '');

describe('while stdout is guarded', () => {
  test('what others print goes to stderr, with one hint that names the place', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const guard = guardStdout(stdout, stderr);
    stdout.write('one\n');
    stdout.write(Buffer.from('two\n'));
    const [hint, ...rest] = text(stderr).split('\n');
    expect(hint).toMatch(
      /^mcpp: stdout carries the protocol, so what \/.*stdout-guard\.test\.ts:\d+ printed there goes to stderr\./,
    );
    expect(rest).toEqual(['one', 'two', '']);
    expect(text(stdout)).toBe('');
    guard.release();
  });

  test('so does what a console made before prints', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const console = new Console(stdout, stderr);
    console.log('before');
    const guard = guardStdout(stdout, stderr);
    console.log('log');
    console.info('info');
    console.debug('debug');
    console.table([{ a: 1 }]);
    expect(text(stdout)).toBe('before\n');
    expect(text(stderr)).toMatch(/stdout-guard\.test\.ts:\d+ .*\nlog\ninfo\ndebug\n/);
    guard.release();
  });

  test('the protocol writes to the real stdout', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const guard = guardStdout(stdout, stderr);
    guard.output.write('{}\n');
    guard.output.once('probe', () => guard.output.write('[]\n'));
    stdout.emit('probe');
    expect(text(stdout)).toBe('{}\n[]\n');
    expect(text(stderr)).toBe('');
    guard.release();
  });

  test('whoever ends stdout has their last words on stderr, and the connection lives', async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const guard = guardStdout(stdout, stderr);
    await new Promise<void>((resolve) => stdout.end('bye\n', resolve));
    expect(text(stderr)).toMatch(/^mcpp: .*\nbye\n$/);
    expect([stdout.writableEnded, stdout.destroyed]).toEqual([false, false]);
    guard.output.write('{}\n');
    expect(text(stdout)).toBe('{}\n');
    guard.release();
    expect(Object.hasOwn(stdout, 'end')).toBe(false);
    stdout.end();
    expect(stdout.writableEnded).toBe(true);
  });

  test('the hint names the place of last words, too', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const guard = guardStdout(stdout, stderr);
    stdout.end('bye\n');
    expect(text(stderr)).toMatch(/stdout-guard\.test\.ts:\d+ .*\nbye\n$/);
    guard.release();
  });

  test('a closed stderr does no harm', async () => {
    const stdout = new PassThrough();
    const stderr = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const guard = guardStdout(stdout, stderr);
    await new Promise((resolve) => stdout.write('lost\n', resolve));
    await new Promise((resolve) => stdout.write('lost\n', resolve));
    guard.output.write('{}\n');
    expect(text(stdout)).toBe('{}\n');
    guard.release();
  });

  test('a stderr that nobody reads does not grow without end, and nobody waits for it', async () => {
    const stderr = new Writable({ write: () => {} });
    const stdout = new PassThrough();
    const guard = guardStdout(stdout, stderr);
    for (let i = 0; i < 100; i++) expect(stdout.write('x'.repeat(100_000))).toBe(true);
    expect(stderr.writableLength).toBeLessThan(1_300_000);
    await new Promise((resolve) => stdout.write('dropped', resolve));
    guard.release();
  });
});

describe('after release', () => {
  test('everything is as before', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    guardStdout(stdout, stderr).release();
    stdout.write('free\n');
    expect(text(stdout)).toBe('free\n');
    expect(Object.hasOwn(stdout, 'write')).toBe(false);
  });

  test('a stream whose reader is gone ends nothing, however often it was guarded', () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    for (let n = 0; n < 3; n++) guardStdout(stdout, stderr).release();
    for (const stream of [stdout, stderr]) {
      stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      expect(stream.listenerCount('error')).toBe(1);
    }
  });

  test('a write that somebody else put in place stays', () => {
    const seen: unknown[] = [];
    const stdout = new PassThrough();
    const own = (chunk: unknown): boolean => seen.push(chunk) > 0;
    stdout.write = own;
    guardStdout(stdout, new PassThrough()).release();
    expect(stdout.write).toBe(own);

    const guard = guardStdout(stdout, new PassThrough());
    const later = (): boolean => true;
    stdout.write = later;
    guard.release();
    expect(stdout.write).toBe(later);
  });
});
