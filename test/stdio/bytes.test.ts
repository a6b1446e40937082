import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, type Habits, initialize, ServerProcess, textOf } from './server-process.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});

afterAll(async () => {
  expect((await server.end()).code).toBe(0);
});

const MIB = 1024 * 1024;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function errorFor(bytes: string | Uint8Array): Promise<{ id: unknown; code: number; message: string }> {
  server.write(bytes);
  const { id, error } = await server.next();
  if (!error) throw new Error('Not an error');
  return { id, ...error };
}

describe('lines that are good', () => {
  test('arrive byte by byte', async () => {
    const text = 'aé世界😀\u2028';
    for (const byte of encode(call('bytes', 'echo', { text }))) server.write(Uint8Array.of(byte));
    expect(textOf(await server.next())).toBe(text);
  });

  test('end in CR LF', async () => {
    server.write(call('crlf', 'echo', { text: 'x' }).replace('\n', '\r\n'));
    expect(textOf(await server.next())).toBe('x');
  });

  test('begin with a byte order mark', async () => {
    server.write(`\ufeff${call('bom', 'echo', { text: 'x' })}`);
    expect(textOf(await server.next())).toBe('x');
  });

  test('have 8 MiB and come in pieces of 4 KB', async () => {
    const start = performance.now();
    const line = encode(call('8m', 'echo', { text: 'a'.repeat(8 * MIB) }));
    for (let at = 0; at < line.length; at += 4096) server.write(line.subarray(at, at + 4096));
    const answer = await server.next();
    expect(textOf(answer)?.length).toBe(8 * MIB);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test('have 4 MiB of an image in them', async () => {
    const text = Buffer.alloc(3 * MIB, 'png').toString('base64');
    server.write(call('4m', 'echo', { text }));
    expect(textOf(await server.next())).toBe(text);
  });
});

describe('lines that are blank', () => {
  test.each([
    ['a few', '\n\r\n   \n'],
    ['256 KB', '\n'.repeat(256 * 1024)],
  ])('%s are passed over', async (_what, bytes) => {
    server.write(bytes);
    expect(await server.alive()).toBeLessThan(1000);
  });
});

describe('lines that are not JSON', () => {
  test.each([
    ['words', 'not json\n'],
    ['half a message', '{"jsonrpc":"2.0","id":5\n'],
    ['a NUL', '{"jsonrpc":"2.0","id":5,"method":"tools/list\u0000"}\n'],
    ['4096 NULs', `${'\u0000'.repeat(4096)}\n`],
    ['a million opening brackets', `${'['.repeat(1_000_000)}\n`],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0xfe, 0x22, 0x0a)],
  ])('%s get -32700 without an id', async (_what, bytes) => {
    expect(await errorFor(bytes)).toMatchObject({ id: undefined, code: -32700 });
    expect(await server.alive()).toBeLessThan(1000);
  });

  test('a message printed over five lines gets one error per line', async () => {
    server.write('{\n  "jsonrpc": "2.0",\n  "id": 5,\n  "method": "ping"\n}\n');
    for (let line = 0; line < 5; line++) expect((await server.next()).error?.code).toBeLessThan(-32599);
    expect(await server.alive()).toBeLessThan(1000);
  });
});

describe('lines that are JSON and no message', () => {
  test.each(['42', 'null', '"hi"', 'true', '[]', '{}'])('%s gets -32600 without an id', async (text) => {
    expect(await errorFor(`${text}\n`)).toMatchObject({ id: undefined, code: -32600 });
    expect(await server.alive()).toBeLessThan(1000);
  });

  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const deepObject = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  test.each([
    ['arguments', `"params":{"name":"echo","arguments":${deep}}`],
    ['an unknown member', `"params":{"name":"echo"},"x":${deepObject}`],
    ['_meta', `"params":{"name":"echo","_meta":${deepObject}}`],
  ])('100,000 levels in %s get -32600 with the id', async (_where, members) => {
    const start = performance.now();
    const error = await errorFor(`{"jsonrpc":"2.0","id":7,"method":"tools/call",${members}}\n`);
    expect(error).toEqual({ id: 7, code: -32600, message: 'Invalid request: more than 64 levels of nesting' });
    expect(performance.now() - start).toBeLessThan(500);
    expect(await server.alive()).toBeLessThan(1000);
  });
});

const READER = `
  const before = process.resourceUsage().maxRSS;
  for await (const _ of process.stdin);
  console.log(Math.round((process.resourceUsage().maxRSS - before) / 1024));
`;

describe('memory', () => {
  /** Megabytes a fresh server's peak grew by while it did this. */
  async function growth(habits: Habits, work: (own: ServerProcess) => Promise<void>): Promise<number> {
    const own = await ServerProcess.start(habits);
    await work(own);
    expect((await own.end()).code).toBe(0);
    return Number(/grew by (\d+) MB/.exec(own.stderr)?.[1]);
  }

  /** Megabytes that reading this much takes, whatever is done with it: Node keeps what it read until it collects. */
  async function growthOfReading(): Promise<number> {
    const reader = spawn(process.execPath, ['--input-type=module', '-e', READER], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await writeHundred(reader.stdin);
    reader.stdin.end();
    let said = '';
    for await (const text of reader.stdout) said += text;
    return Number(said);
  }

  async function writeHundred(stdin: Writable): Promise<void> {
    const chunk = Buffer.alloc(MIB, 'a');
    for (let i = 0; i < 100; i++) {
      if (!stdin.write(chunk)) await once(stdin, 'drain');
    }
  }

  test('does not grow with a line that never ends, and the server recovers', async () => {
    const grown = await growth({}, async (own) => {
      await writeHundred(own.child.stdin);
      own.write('\n');
      expect(await own.next()).toMatchObject({
        error: {
          code: -32600,
          message: 'Invalid request: a line of more than 10485760 bytes',
        },
      });
      expect(await own.alive()).toBeLessThan(1000);
    });
    expect(grown - (await growthOfReading())).toBeLessThan(64);
  });

  test('a line over the limit gets an error with its id where the beginning has it', async () => {
    await growth({ options: { maxLineLength: 1000 } }, async (own) => {
      own.write(call('long', 'echo', { text: 'x'.repeat(2000) }));
      expect(await own.next()).toMatchObject({ id: 'long', error: { code: -32600 } });
      await own.alive();
    });
  });

  test.each([
    ['1.9 million numbers', `[${'1,'.repeat(1_900_000)}1]`],
    ['330,000 keys', `{${Array.from({ length: 330_000 }, (_, i) => `"k${i}":1`).join(',')}}`],
  ])('%s are refused before they are built', async (_what, args) => {
    const grown = await growth({}, async (own) => {
      const start = performance.now();
      own.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":${args}}}\n`);
      const answer = await own.next();
      expect(answer).toMatchObject({ id: 7, error: { code: -32600 } });
      expect(JSON.stringify(answer).length).toBeLessThan(200);
      expect(performance.now() - start).toBeLessThan(600);
      await own.alive();
    });
    expect(grown).toBeLessThan(100);
  });

  test('stays bounded while the client sends 200 MB and reads nothing; later every call is answered', async () => {
    const count = 2000;
    const text = 'x'.repeat(100_000);
    const own = new ServerProcess();
    own.write(initialize);
    let written = 0;
    let stalled = (): void => {};
    const stall = new Promise<void>((resolve) => {
      stalled = resolve;
    });
    const writing = (async () => {
      for (; written < count; written++) {
        if (own.child.stdin.write(call(written, 'echo', { text }))) continue;
        const timer = setTimeout(stalled, 500);
        await once(own.child.stdin, 'drain');
        clearTimeout(timer);
      }
    })();
    // Nobody reads, so the server takes in no more than the pipes and its own buffers have room for.
    await stall;
    expect(written).toBeLessThan(100);

    const ids = new Set<unknown>();
    for (let i = 0; i <= count; i++) ids.add((await own.next()).id);
    await writing;
    expect(ids.size).toBe(count);
    expect((await own.end()).code).toBe(0);
    expect(Number(/grew by (\d+) MB/.exec(own.stderr)?.[1])).toBeLessThan(64);
  });
});
