import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { nameOf } from '../../client/command.ts';
import { checkBatchArguments, invocationOf, start } from './spawn.ts';

describe('the name of a server in errors', () => {
  test.each([
    [['node', 'server.js', '--key', 'secret'], 'node server.js'],
    [['npx', '-y', '@scope/server', 'secret'], 'npx -y @scope/server'],
    [['python', '-m', 'server'], 'python -m server'],
    [['server', '--token', 'secret'], 'server'],
    [['server', '--token=secret'], 'server'],
    [['proxy', 'https://ada:secret@example.com/'], 'proxy'],
    [['proxy', 'KEY=secret'], 'proxy'],
    [['npx', '-y'], 'npx -y'],
    [['server'], 'server'],
  ])('of %j is %j', ([command = '', ...args], name) => {
    expect(nameOf(invocationOf({ command, args }))).toBe(name);
  });
});

describe('a batch file', () => {
  const refused = expect.objectContaining({ code: 'spawn-failed' });

  test('is given no argument that could run as a command', () => {
    for (const args of [
      ['a"&calc'],
      ['say "hi"', 'a|b'],
      ['"', '%PATH%'],
      ['"', '(x)'],
      ['a"!b!'],
      ['a\nb'],
      ['a\rb'],
    ]) {
      expect(() => checkBatchArguments('C:\\node\\npx.cmd', args)).toThrow(refused);
    }
    expect(() => checkBatchArguments('C:\\node_modules\\.bin\\x.cmd', ['a\nb'])).toThrow(refused);
  });

  test('is given the others, and one of npm all but line ends', () => {
    checkBatchArguments('C:\\node\\npx.cmd', ['-y', 'https://example.com/?a=1&b=2', 'a|b', '100%', '(a)', 'a!']);
    checkBatchArguments('C:\\node\\npx.cmd', ['{"a":1}']);
    checkBatchArguments('C:\\x\\node_modules\\.bin\\server.cmd', ['a"&calc']);
  });
});

test('on Windows a script is run by cmd.exe, which reads its arguments as they are', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpp-spawn-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'npx.CMD'), '');
  const built = pathToFileURL(join(import.meta.dirname, '../../../dist/transport/stdio/cross-spawn.js')).href;
  const script = `
    Object.defineProperty(process, 'platform', { value: 'win32' });
    const { spawnable } = await import(${JSON.stringify(built)});
    const options = { env: { Path: ${JSON.stringify(folder)} } };
    const runs = [spawnable('npx', ['a b', 'c&d', 'e"f'], options), spawnable('gone', [], options)];
    console.log(JSON.stringify(runs.map(({ command, args, file }) => [command, args, file])));`;
  const env = { ...process.env, PATHEXT: '.EXE;.CMD', comspec: 'cmd.exe' };
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([
    ['cmd.exe', ['/d', '/s', '/c', '"npx ^"a^ b^" ^"c^&d^" ^"e\\^"f^""'], join(folder, 'npx.CMD')],
    ['cmd.exe', ['/d', '/s', '/c', '"gone"'], null],
  ]);
});

test('Node adds what it needs to the variables of a program, such as where coverage goes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpp-coverage-'));
  vi.stubEnv('NODE_V8_COVERAGE', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const invocation = invocationOf({ command: process.execPath, args: ['-e', ''] });
  const child = start(invocation);
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(invocation.env).not.toHaveProperty('NODE_V8_COVERAGE');
});
