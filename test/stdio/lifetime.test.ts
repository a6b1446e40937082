import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { call, fixture, initialize, ServerProcess, textOf } from './server-process.ts';

const started: ChildProcess[] = [];

async function start(...habits: Parameters<typeof ServerProcess.start>): Promise<ServerProcess> {
  const server = await ServerProcess.start(...habits);
  started.push(server.child);
  return server;
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

describe('when the input ends', () => {
  test('an idle server exits with 0 at once', async () => {
    const server = await start();
    const { code, ms } = await server.end();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(500);
    expect(server.stderr).toMatch(/^ready\nclosed/);
  });

  test('a live timer and an open socket do not keep it', async () => {
    const server = await start({ timer: true, socket: true });
    const { code, ms } = await server.end();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(500);
  });

  test('every line that came before is answered, also one without a line end', async () => {
    const server = new ServerProcess();
    started.push(server.child);
    server.child.stdin.end(initialize + call(2, 'soon') + call(3, 'echo', { text: 'hi' }).trimEnd());
    const answers = await server.rest();
    expect(answers.map(({ id }) => id)).toEqual([1, 3, 2]);
    expect(answers.map(textOf)).toEqual([undefined, 'hi', 'done']);
    expect(await server.exit).toBe(0);
  });

  test('a running call is aborted after a second and its handler sees it', async () => {
    const server = await start();
    server.write(call(2, 'wait'));
    await server.said('waiting');
    const { code, ms } = await server.end();
    expect(code).toBe(0);
    expect(ms).toBeGreaterThan(900);
    expect(ms).toBeLessThan(2000);
    expect(server.stderr).toMatch(/waiting\naborted\nclosed/);
  });

  test.each([{}, { onClose: 'hang', timer: true, socket: true } as const])(
    'a call that never ends does not keep it, habits %o',
    async (habits) => {
      const server = await start(habits);
      server.write(call(2, 'hang'));
      await server.said('hanging');
      const { code, ms } = await server.end();
      expect(code).toBe(0);
      expect(ms).toBeLessThan(2000);
    },
  );

  test('a hook that hangs or throws does not keep it', async () => {
    const [hanging, throwing] = [await start({ onClose: 'hang' }), await start({ onClose: 'throw' })];
    const [first, second] = await Promise.all([hanging.end(), throwing.end()]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.ms).toBeLessThan(2000);
    expect(second.ms).toBeLessThan(500);
    expect(throwing.stderr).toContain('onClose failed: Error: the hook broke');
  });

  test('with `exit: false` the process goes on and has stdout for itself', async () => {
    const server = await start({ options: { exit: false } });
    server.child.stdin.end();
    expect(await server.exit).toBe(0);
    expect(server.stderr).toMatch(/closed, grew by \d+ MB\nlisteners: 0\n$/);
    expect(await server.line()).toBe('stdout is free again');
  });
});

test('with `exit: false` a process that goes on, for instance over HTTP, can print after its client is gone', async () => {
  const child = spawn(process.execPath, [fixture('beside-http')], { stdio: 'pipe' });
  started.push(child);
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  const answer = await fetch(String(line).trim(), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'print',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'print',
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
        },
      },
    }),
  });
  expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'alive' }] } });
  expect(child.exitCode).toBeNull();
});

describe('a signal', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends an idle server at once', async (signal) => {
    const server = await start({ timer: true, socket: true });
    const { code, ms } = await server.endsAfter(() => server.child.kill(signal));
    expect(code).toBe(0);
    expect(ms).toBeLessThan(500);
    expect(server.stderr).toContain('closed');
  });

  test('during a call lets it answer first', async () => {
    const server = await start();
    server.write(call(2, 'soon'));
    await server.said('working');
    const { code, ms } = await server.endsAfter(() => server.child.kill('SIGTERM'));
    expect(textOf(await server.next())).toBe('done');
    expect(code).toBe(0);
    expect(ms).toBeLessThan(1000);
  });

  test('that comes twice is obeyed at once', async () => {
    const server = await start();
    server.write(call(2, 'hang'));
    await server.said('hanging');
    server.child.kill('SIGTERM');
    // The next call is refused once the first signal was seen.
    server.write(call(3, 'echo', { text: 'x' }));
    expect((await server.next()).id).toBe(3);
    const { code, ms } = await server.endsAfter(() => server.child.kill('SIGTERM'));
    expect(code).toBe(128 + 15);
    expect(ms).toBeLessThan(500);
  });
});

describe('a client that goes away', () => {
  test('by closing stdout ends the server without a word and without spinning', async () => {
    const server = await start({ timer: true });
    const { code, ms } = await server.endsAfter(() => {
      server.child.stdout.destroy();
      for (let id = 10; id < 100; id++) server.write(call(id, 'echo', { text: 'x'.repeat(1000) }));
    });
    expect(code).toBe(0);
    expect(ms).toBeLessThan(2000);
    expect(server.stderr).toMatch(/^ready\nclosed, grew by \d+ MB\n$/);
  });

  test('by closing stdout with a call running aborts the call', async () => {
    const server = await start();
    server.write(call(2, 'wait'));
    await server.said('waiting');
    const { code, ms } = await server.endsAfter(() => {
      server.child.stdout.destroy();
      server.write(call(3, 'echo', { text: 'x' }));
    });
    expect(code).toBe(0);
    expect(ms).toBeLessThan(2000);
    expect(server.stderr).toContain('aborted');
  });

  test('by closing stderr only is still served', async () => {
    const server = await start();
    server.child.stderr.destroy();
    for (let id = 2; id < 12; id++) {
      server.write(call(id, 'log', { text: 'x'.repeat(10_000) }));
      expect(textOf(await server.next())).toBe('logged');
    }
    expect(await server.alive()).toBeLessThan(1000);
    expect((await server.end()).code).toBe(0);
  });

  test('by SIGKILL leaves no orphan', async () => {
    const parent = spawn(process.execPath, [fixture('parent')], { stdio: 'pipe' });
    started.push(parent);
    await once(parent.stderr, 'data');
    expect(await gone(parent)).toBeLessThan(500);
  });

  test('by SIGKILL leaves no orphan, even if somebody holds its streams open', async () => {
    const parent = spawn(process.execPath, [fixture('parent'), 'held'], { stdio: 'pipe' });
    started.push(parent);
    const [[holder]] = await Promise.all([once(parent.stdout, 'data'), once(parent.stderr, 'data')]);
    expect(await gone(parent)).toBeLessThan(2000);
    process.kill(Number(holder));
  });
});

/** Kills a process; gives the milliseconds until nobody has its stderr any more, so its child is gone too. */
async function gone(parent: ChildProcess & { stderr: Readable }): Promise<number> {
  parent.stderr.resume();
  const start = performance.now();
  parent.kill('SIGKILL');
  await once(parent.stderr, 'close');
  return performance.now() - start;
}
