import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, fixture, initialize, ServerProcess, textOf } from './server-process.ts';

describe('stdout', () => {
  test.each([
    ['log', 'logged'],
    ['print', 'printed'],
  ])('has only the protocol on it when a handler uses %s', async (tool, answer) => {
    const server = await ServerProcess.start();
    for (const [id, text] of ['one', 'two'].entries()) {
      server.write(call(id, tool, { text }));
      expect(textOf(await server.next())).toBe(answer);
    }
    expect((await server.end()).code).toBe(0);
    const lines = server.stderr.split('\n');
    expect(lines[1]).toMatch(
      /^mcpp: stdout carries the protocol, so what \/.*\/fixtures\/server\.mjs:\d+ printed there/,
    );
    expect(lines.slice(2, 4)).toEqual(['one', 'two']);
    expect(server.stderr.match(/mcpp:/g)).toHaveLength(1);
  });

  test('has both answers when two messages are piped in', () => {
    const input = initialize + call(2, 'echo', { text: 'hi' });
    const output = execFileSync(process.execPath, [fixture('server')], { input, stdio: 'pipe' }).toString();
    const [first, second, ...rest] = output.split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } });
    expect(JSON.parse(second ?? '')).toMatchObject({ id: 2, result: { content: [{ type: 'text', text: 'hi' }] } });
    expect(rest).toEqual(['']);
  });

  test('has an answer to each of thousands of first requests that are piped in, in their order', () => {
    const ids = Array.from({ length: 3000 }, (_, id) => id);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { _meta };
    const input = ids
      .map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'server/discover', params })}\n`)
      .join('');
    const output = execFileSync(process.execPath, [fixture('server')], { input, stdio: 'pipe', maxBuffer: 2 ** 24 });
    const answers = output
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id)).toEqual(ids);
    expect(answers.filter(({ error }) => error)).toEqual([]);
  });

  test('and stdin may be files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcpp-stdio-'));
    const text = 'x'.repeat(300_000);
    await writeFile(join(folder, 'in'), initialize + call(2, 'soon') + call(3, 'echo', { text }));
    const [input, output] = [await open(join(folder, 'in')), await open(join(folder, 'out'), 'w')];
    const child = spawn(process.execPath, [fixture('server')], { stdio: [input.fd, output.fd, 'ignore'] });
    expect(await once(child, 'exit')).toEqual([0, null]);
    const answers = (await readFile(join(folder, 'out'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id)).toEqual([1, 3, 2]);
    expect(textOf(answers[1])).toBe(text);
    await Promise.all([input.close(), output.close()]);
    await rm(folder, { recursive: true });
  });
});
