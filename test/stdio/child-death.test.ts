import { describe, expect, onTestFinished, test } from 'vitest';
import type { ConnectionError } from '../../src/jsonrpc/errors.ts';
import { type Habits, isAlive, Program, program, until } from './program.ts';

const NAME = [program().command, program().args?.[0]].join(' ');

async function start(habits?: Habits): Promise<Program> {
  const server = await Program.start(habits);
  onTestFinished(() => server.transport.disconnect());
  return server;
}

/** The milliseconds between the end of a process and the moment we were told. */
async function told(server: Program, pid: number): Promise<{ cause: ConnectionError | undefined; ms: number }> {
  let deadAt = 0;
  const death = until(() => !isAlive(pid), 'the server is dead').then(() => {
    deadAt = performance.now();
  });
  const [cause] = await Promise.all([server.closed, death]);
  return { cause, ms: server.closedAt - deadAt };
}

describe('when a server dies', () => {
  test('the cause has its exit code and its last words, after all that it sent', async () => {
    const server = await start();
    await server.call('echo');
    server.tell('exit', { code: 3, count: 2000, stderr: 'Error: \u001b[31mno database\u001b[0m\r\n    at main\n' });
    const cause = await server.closed;
    expect(server.messages).toHaveLength(2001);
    expect(server.messages.at(-1)).toMatchObject({ id: 2999 });
    expect(server.transport.connected).toBe(false);
    expect(cause?.code).toBe('closed');
    expect(cause?.message).toBe(
      `The server "${NAME}" exited with code 3. The last it wrote on stderr:\nError: no database`,
    );
    expect(cause?.process).toEqual({
      exitCode: 3,
      signal: null,
      stderr: 'Error: \u001b[31mno database\u001b[0m\r\n    at main\n',
    });
    expect(() => server.tell('echo')).toThrow(cause?.message);
    await server.transport.disconnect();
    expect(server.closes).toHaveLength(1);
  });

  test('at once, the cause says that it never sent a message', async () => {
    const server = await start({ exit: 1, stderr: 'API_KEY is not set\n' });
    expect((await server.closed)?.message).toBe(
      `The server "${NAME}" exited with code 1 before it sent a message. ` +
        'The last it wrote on stderr:\nAPI_KEY is not set',
    );
    const silent = await start({ exit: 0 });
    expect((await silent.closed)?.message).toBe(
      `The server "${NAME}" exited with code 0 before it sent a message. It wrote nothing on stderr`,
    );
  });

  test('because it throws while it starts, the cause has the error and no stack frames', async () => {
    const code = `
      function deep(n) { if (n > 0) return deep(n - 1); throw new Error('API_KEY is not set', { cause: new TypeError('no cause') }); }
      deep(20)`;
    const server = new Program({ command: process.execPath, args: ['-e', code] });
    await server.transport.connect(server);
    const { message = '', process: end } = (await server.closed) ?? {};
    expect(end?.stderr).toContain('Node.js v');
    expect(message).toContain('\nError: API_KEY is not set\n');
    expect(message).toContain('[cause]: TypeError: no cause');
    expect(message).not.toMatch(/^\s+at |Node\.js v|\^/m);
  });

  test('after an error that prints more than 4 KB, the cause has the error', async () => {
    const code = "throw Object.assign(new Error('no database'), { config: Array(99).fill('x'.repeat(99)) })";
    const server = new Program({ command: process.execPath, args: ['-e', code] });
    await server.transport.connect(server);
    const { message, process: end } = (await server.closed) ?? {};
    expect(end?.stderr).not.toContain('no database');
    expect(message).toContain('The last it wrote on stderr:\nError: no database\n...\n');
  });

  test('by a signal, the cause names it', async () => {
    const server = await start();
    server.tell('die', { signal: 'SIGKILL' });
    const cause = await server.closed;
    expect(cause?.message).toContain('was ended by SIGKILL before');
    expect(cause?.process).toEqual({ exitCode: null, signal: 'SIGKILL', stderr: '' });
  });

  test('its exit code is told also if it shows first by a broken pipe', async () => {
    const server = await start();
    const pid = await server.pid();
    await server.call('stopReading');
    // More than fits into the pipe, so that a write is under way when the process dies.
    for (let n = 0; n < 8; n++) server.tell('echo', { text: 'x'.repeat(1024 * 1024) });
    process.kill(pid, 'SIGKILL');
    expect((await server.closed)?.process).toMatchObject({ signal: 'SIGKILL' });
  });

  test('and a process that it started has its streams, we do not wait for that, and end it', async () => {
    const server = await start();
    const child = await server.starts({ holds: true, ignores: ['SIGTERM'] });
    const pid = await server.pid();
    const before = server.messages.length;
    server.tell('exit', { code: 7, count: 100 });
    const { cause, ms } = await told(server, pid);
    expect(cause?.process?.exitCode).toBe(7);
    expect(server.messages).toHaveLength(before + 100);
    expect(ms).toBeLessThan(1000);
    await server.transport.disconnect();
    expect(isAlive(child)).toBe(false);
  });

  test('and a process that it started keeps its stdin from breaking, nobody waits for it to read', async () => {
    const server = await start();
    await server.starts({ holds: true });
    const pid = await server.pid();
    await server.call('stopReading');
    const params = { text: 'x'.repeat(8 * 1024 * 1024) };
    let waits = true;
    const sent = Promise.resolve(server.transport.send({ jsonrpc: '2.0', method: 'echo', params })).then(() => {
      waits = false;
    });
    process.kill(pid, 'SIGKILL');
    const { cause, ms } = await told(server, pid);
    expect(cause?.process?.signal).toBe('SIGKILL');
    expect(ms).toBeLessThan(1000);
    expect(waits).toBe(false);
    await sent;
  });

  test('a receiver that fails to hear of it is told so', async () => {
    const server = new Program(program({ exit: 1 }));
    const receiver = {
      onMessage: () => {},
      onError: (error: Error) => server.onError(error),
      onClose: (cause?: Error) => {
        server.onClose(cause);
        throw new Error('oops');
      },
    };
    await server.transport.connect(receiver);
    await server.closed;
    await server.transport.disconnect();
    expect(server.errors.map(({ message }) => message)).toEqual(['oops']);
  });

  test('at any moment, with 8 MB on the way in and 10 MB on stderr, all ends well', async () => {
    const die = async (round: number): Promise<void> => {
      const server = await start();
      const pid = await server.pid();
      const sizes = Array.from({ length: 8 }, () => 1024 * 1024);
      server.tell('flood', { size: 10 * 1024 * 1024 });
      for (const size of sizes) server.tell('echo', { text: 'x'.repeat(size) });
      const moment = server.messages.length + (round % 4);
      // Sooner or later in the course of it, as far as that can be seen from here.
      if (round % 4 > 0) await until(() => server.messages.length >= moment, 'some messages');
      else for (let turn = 0; turn < 50 * round; turn++) await new Promise(setImmediate);
      process.kill(pid, 'SIGKILL');
      const { cause, ms } = await told(server, pid);
      expect(cause?.process).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      expect(Buffer.byteLength(cause?.process?.stderr ?? '')).toBeLessThanOrEqual(4096);
      expect(ms).toBeLessThan(1000);
      expect(server.closes).toHaveLength(1);
      expect(server.errors).toEqual([]);
    };
    // A few at a time: what they send keeps this process busy, and a death is told between two pieces of it.
    for (let round = 0; round < 12; round += 3) await Promise.all([die(round), die(round + 1), die(round + 2)]);
  });
});

describe('a server that is no longer one', () => {
  test('because it closed its stdout is ended', async () => {
    const server = await start({ ignores: ['eof', 'SIGTERM'] });
    const pid = await server.pid();
    server.tell('close', { streams: [1] });
    const cause = await server.closed;
    expect(cause?.message).toBe(
      `The server "${NAME}" closed its stdout but did not exit, and is ended. It wrote nothing on stderr`,
    );
    expect(cause?.process).toEqual({ exitCode: null, signal: null, stderr: '' });
    await server.transport.disconnect();
    expect(isAlive(pid)).toBe(false);
  });

  test('because it closed its stdin is ended', async () => {
    const server = await start({ ignores: ['SIGTERM'] });
    const pid = await server.pid();
    server.tell('close', { streams: [0] });
    await until(() => {
      // Nobody notices before something is written.
      if (server.transport.connected) server.tell('echo', { text: 'x' });
      return server.closes.length > 0;
    }, 'the end is told');
    expect((await server.closed)?.message).toContain('closed its stdin but did not exit');
    await server.transport.disconnect();
    expect(isAlive(pid)).toBe(false);
  });

  test('because it does not read is ended when 64 MiB wait', async () => {
    const server = await start({ ignores: ['SIGTERM'] });
    const pid = await server.pid();
    await server.call('stopReading');
    const text = 'x'.repeat(8 * 1024 * 1024);
    while (server.transport.connected) server.tell('echo', { text });
    const cause = await server.closed;
    expect(cause).toMatchObject({ code: 'failed', message: 'The peer does not read what it is sent' });
    await server.transport.disconnect();
    expect(isAlive(pid)).toBe(false);
  });
});
