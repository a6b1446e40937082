import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ChildOptions, Command, Invocation } from '../../src/client/command.ts';
import { ConnectionError, ParseError } from '../../src/jsonrpc/errors.ts';
import { listProcesses } from '../../src/transport/stdio/process-list.ts';
import { type Habits, isAlive, Program, program } from './program.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpp-child-')));
afterAll(() => rm(folder, { recursive: true }));

async function start(habits?: Habits, options?: ChildOptions): Promise<Program> {
  const server = await Program.start(habits, options);
  onTestFinished(() => server.transport.disconnect());
  return server;
}

/** What `connect` fails with. */
async function failure(command: Command, options?: ChildOptions): Promise<ConnectionError> {
  const server = new Program(command, options);
  const error = await server.transport.connect(server).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(server.transport.connected).toBe(false);
  await server.transport.disconnect();
  expect(server.closes).toEqual([]);
  return error as ConnectionError;
}

describe('a server that is a program', () => {
  test('gets its arguments, variables and directory as they are given, and answers', async () => {
    const { command, args = [] } = program();
    const odd = ['a b', 'c"d', '$HOME', '%PATH%', '&', ';ls', '', 'é\n'];
    const server = new Program({ command, args: [...args, ...odd], env: { ANSWER: '42' }, cwd: folder });
    onTestFinished(() => server.transport.disconnect());
    await server.transport.connect(server);
    expect(server.transport.connected).toBe(true);
    const { argv, env, cwd } = await server.call('facts');
    expect((argv as string[]).slice(1)).toEqual(odd);
    expect(env).toMatchObject({ ANSWER: '42', PATH: process.env['PATH'] });
    expect(cwd).toBe(folder);
  });

  test('gets no variables of ours but those that programs need', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret').stubEnv('LC_ALL', 'C.UTF-8');
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await start();
    const { env } = await server.call('facts');
    expect(env).toHaveProperty('LC_ALL', 'C.UTF-8');
    expect(env).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
  });

  test('exchanges messages of 8 MB both ways', async () => {
    const server = await start();
    const text = 'é'.repeat(4 * 1024 * 1024);
    expect((await server.call('echo', { text }))['text']).toBe(text);
  });

  test('may write an answer before it reads on', async () => {
    const server = await start();
    const texts = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(1024 * 1024));
    const answers = await Promise.all(texts.map((text) => server.call('echo', { text })));
    expect(answers.every(({ text }, n) => text === texts[n])).toBe(true);
  });

  test('may print what is no message: that is handed on, and calls work', async () => {
    const server = await start();
    server.tell('print', { text: 'Server is running!\n\u0000\u0001 {"jsonrpc":\n' });
    expect(await server.call('echo', { n: 1 })).toEqual({ n: 1 });
    expect(server.messages.map((payload) => payload instanceof ParseError && payload.code)).toEqual([
      'MalformedJson',
      'MalformedJson',
      false,
    ]);
  });

  test('may send lines of 16 MiB, or as many bytes as the options say', async () => {
    const server = await start({}, { maxLineLength: 1000 });
    server.tell('echo', { text: 'x'.repeat(2000) });
    expect(await server.call('echo', { n: 1 })).toEqual({ n: 1 });
    expect(server.messages[0]).toMatchObject({ code: 'TooLong', isResponse: true });
    const generous = await start();
    const text = 'x'.repeat(12 * 1024 * 1024);
    expect((await generous.call('echo', { text }))['text']).toHaveLength(text.length);
  });

  test('is never blocked by what it writes on stderr', async () => {
    const server = await start();
    expect(await server.call('flood', { size: 50 * 1024 * 1024 })).toEqual({});
    server.tell('exit', { code: 0, stderr: 'the end' });
    const cause = await server.closed;
    expect(Buffer.byteLength(cause?.process?.stderr ?? '')).toBe(4096);
    expect(cause?.process?.stderr).toMatch(/y\nthe end$/);
  });

  test('tells a listener what it writes on stderr, whole characters only', async () => {
    const texts: string[] = [];
    const server = await start({ stderr: 'é'.repeat(50_000) }, { stderr: (text) => texts.push(text) });
    server.tell('exit', { code: 0, stderr: 'done' });
    await server.closed;
    await server.transport.disconnect();
    expect(texts.join('')).toBe(`${'é'.repeat(50_000)}done`);
  });

  test('is not harmed by a listener that throws', async () => {
    const stderr = (): void => {
      throw new Error('oops');
    };
    const server = await start({ stderr: 'hello' }, { stderr });
    expect(await server.call('echo', { n: 1 })).toEqual({ n: 1 });
    expect(server.errors.map(({ message }) => message)).toEqual(['oops']);
  });

  test('can write on our stderr', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    const server = await start({ stderr: 'for a person' }, { stderr: 'inherit' });
    await server.call('echo');
    await server.transport.disconnect();
    expect(write.mock.calls.map(([chunk]) => String(chunk)).join('')).toBe('for a person');
    expect(process.stderr.listenerCount('error')).toBe(0);
  });
});

describe('allowCommand', () => {
  test('is asked with exactly what will be run, which it cannot change', async () => {
    const asked: Invocation[] = [];
    const command = { ...program(), env: { ANSWER: '42', HOME: undefined }, cwd: folder };
    const server = new Program(command, { allowCommand: (what) => asked.push(what) === 1 });
    onTestFinished(() => server.transport.disconnect());
    await server.transport.connect(server);
    const { env } = await server.call('facts');
    expect(asked).toEqual([{ command: command.command, args: command.args, cwd: folder, env }]);
    expect([asked[0], asked[0]?.args, asked[0]?.env].every(Object.isFrozen)).toBe(true);
  });

  test.each([
    ['says no', () => false],
    ['says no later', async () => false],
    ['says something else', () => 'yes' as never],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('that %s keeps anything from being started', async (_, allowCommand) => {
    const touched = join(folder, 'touched');
    const code = `require('node:fs').writeFileSync(${JSON.stringify(touched)}, '')`;
    const error = await failure({ command: process.execPath, args: ['-e', code] }, { allowCommand });
    expect(error.code).toBe('refused');
    expect(error.message).toBe(`"allowCommand" does not allow to start "${process.execPath}"`);
    expect(() => writeFileSync(touched, '', { flag: 'wx' })).not.toThrow();
    await rm(touched);
  });

  test('that never answers can be given up on', async () => {
    const server = new Program(program(), { allowCommand: () => new Promise(() => {}) });
    const connecting = server.transport.connect(server);
    await server.transport.disconnect();
    await expect(connecting).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a program that cannot be started', () => {
  test('says which, why, and what to do', async () => {
    const script = join(folder, 'script.sh');
    writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o755 });
    const plain = join(folder, 'plain.txt');
    writeFileSync(plain, 'text', { mode: 0o644 });
    const cases: readonly (readonly [Command, string])[] = [
      [
        { command: 'no-such-program', args: ['-y', 'server', '--key', 'secret'] },
        'Cannot start the server "no-such-program -y server": there is no program "no-such-program" on the PATH. ' +
          'Install it, give its full path, or a PATH in "env" (ENOENT)',
      ],
      [
        { command: './no-such-file' },
        'Cannot start the server "./no-such-file": there is no file "./no-such-file". ' +
          'Check the path; a relative one begins at the working directory (ENOENT)',
      ],
      [
        { command: script },
        `Cannot start the server "${script}": "${script}" is there, but the interpreter that its first line names is ` +
          'not. Install that, or give it as "command" (ENOENT)',
      ],
      [
        { command: 'script.sh', env: { PATH: folder } },
        'Cannot start the server "script.sh": "script.sh" is there, but the interpreter that its first line names is ' +
          'not. Install that, or give it as "command" (ENOENT)',
      ],
      [
        { command: plain },
        `Cannot start the server "${plain}": "${plain}" may not be executed. ` +
          'Give it the permission, or start it with its interpreter (EACCES)',
      ],
      [
        { command: `${plain}/server` },
        `Cannot start the server "${plain}/server": a part of the path "${plain}/server" is not a directory. ` +
          'Check the path (ENOTDIR)',
      ],
      [
        { command: 'node', cwd: join(folder, 'gone') },
        `Cannot start the server "node": its working directory "${join(folder, 'gone')}" does not exist. ` +
          'Create it, or give another "cwd" (ENOENT)',
      ],
      [
        { command: 'node', cwd: plain },
        `Cannot start the server "node": its working directory "${plain}" is not a directory. ` +
          'Give another "cwd" (ENOTDIR)',
      ],
      [
        { command: 'node', args: ['x'.repeat(8 * 1024 * 1024)] },
        `Cannot start the server "node ${'x'.repeat(123)}...": its arguments and variables are too long. ` +
          'Pass large values in a file (E2BIG)',
      ],
    ];
    for (const [command, message] of cases) {
      const error = await failure(command);
      expect(error.message).toBe(message);
      expect(error.code).toBe('spawn-failed');
      expect(JSON.stringify(error.cause)).toBe(`{"code":"${message.match(/\((\w+)\)$/)?.[1]}"}`);
    }
  });

  test('says what is wrong with the command', async () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [{ command: '' }, '"command" must be the name of a program'],
      [{}, '"command" must be the name of a program'],
      [{ command: 'node', args: 'server.js' }, '"args" must be an array of strings'],
      [{ command: 'node', args: ['a', 'b\0c'] }, '"args"[1] must be a string without null characters'],
      [{ command: 'node', args: [8080] }, '"args"[0] must be a string without null characters'],
      [{ command: 'no\0de' }, '"command" and "cwd" must be without null characters'],
      [{ command: 'node', cwd: '/\0' }, '"command" and "cwd" must be without null characters'],
      [{ command: 'node', cwd: 8 }, '"cwd" must be a path'],
      [
        { command: 'node', env: { KEY: 'a\0b' } },
        'the variable "KEY" in "env" must have neither "=" in its name nor null characters',
      ],
    ];
    for (const [command, problem] of cases) {
      const error = await failure(command as Command);
      expect(error.message).toBe(`Cannot start a server: ${problem}`);
      expect(error.code).toBe('spawn-failed');
    }
  });
});

describe('a connection', () => {
  test('carries nothing before it is made, and is made once', async () => {
    const server = new Program(program(), { graceMs: 150 });
    expect(() => server.tell('echo')).toThrow(expect.objectContaining({ code: 'not-connected' }));
    const connecting = server.transport.connect(server);
    await expect(server.transport.connect(server)).rejects.toMatchObject({ code: 'failed' });
    await connecting;
    const pid = await server.pid();
    await server.transport.disconnect();
    expect(isAlive(pid)).toBe(false);
    await expect(server.transport.connect(server)).rejects.toMatchObject({ code: 'failed' });
    expect(() => server.tell('echo')).toThrow(expect.objectContaining({ code: 'closed' }));
  });

  test('that was ended before it was made starts nothing', async () => {
    const server = new Program(program());
    await server.transport.disconnect();
    await expect(server.transport.connect(server)).rejects.toMatchObject({ code: 'failed' });
  });

  test('that is ended while it is made leaves no process', async () => {
    const children = async (): Promise<number[]> =>
      ((await listProcesses()) ?? []).filter(({ parent }) => parent === process.pid).map(({ pid }) => pid);
    const before = await children();
    for (let turns = 0; turns < 6; turns++) {
      const server = new Program(program(), { graceMs: 150 });
      const connecting = server.transport.connect(server).then(
        () => 'connected',
        (error) => error.code,
      );
      for (let turn = 0; turn < turns; turn++) await undefined;
      await server.transport.disconnect();
      expect(['connected', 'closed']).toContain(await connecting);
      expect(server.transport.connected).toBe(false);
      expect(server.closes).toEqual((await connecting) === 'connected' ? [undefined] : []);
      expect(await children()).toEqual(before);
    }
  });
});
