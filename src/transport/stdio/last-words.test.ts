import { PassThrough } from 'node:stream';
import { setInterval } from 'node:timers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeEnd, drained } from './last-words.ts';

describe('waiting for what a dead program wrote', () => {
  /** A pipe, as far as it matters here. */
  function pipe(): PassThrough & { bytesRead: number } {
    const stream = Object.assign(new PassThrough(), { bytesRead: 0 });
    return stream.on('data', (chunk) => {
      stream.bytesRead += chunk.length;
    });
  }

  test('is over when the pipes end', async () => {
    const [one, two] = [pipe(), pipe()];
    one.end('x');
    two.end();
    await drained([one, two], 60_000);
    expect([one.readableEnded, two.readableEnded]).toEqual([true, true]);
  });

  test('is over when nothing comes any more, though a pipe is open', async () => {
    const [one, two] = [pipe(), pipe()];
    one.end();
    two.write('x'.repeat(100_000));
    await drained([one, two], 60_000);
    expect(two.bytesRead).toBe(100_000);
  });

  test('is over after a while, though somebody else goes on writing', async () => {
    const stream = pipe();
    const timer = setInterval(() => stream.write('x'), 1);
    onTestFinished(() => clearInterval(timer));
    await drained([stream], 30);
    expect(stream.readableEnded).toBe(false);
  });

  test('is not over while nobody reads', async () => {
    const stream = pipe();
    stream.pause();
    stream.write('x');
    let over = false;
    const waiting = drained([stream], 60_000).then(() => {
      over = true;
    });
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(over).toBe(false);
    stream.resume();
    await waiting;
  });
});

describe('the cause', () => {
  test('has an excerpt of all that is known of stderr, and its last 4 KB as a property', () => {
    const process = { exitCode: 1, signal: null, stderr: '    at last' };
    const { message, process: end } = describeEnd('node x', 'exit', process, true, 'Error: first\n    at last');
    expect(message).toBe('The server "node x" exited with code 1. The last it wrote on stderr:\nError: first');
    expect(end).toEqual(process);
  });
});
