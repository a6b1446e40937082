/** `mcpp/client` runs where there is no Node: what it loads by itself is its own files and nothing else. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { importsOf, modulesIn, readCode } from './source-code.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Every file that importing this one loads, without what it loads on demand. */
function loadedBy(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const { specifier = '?', isType, isDynamic } of importsOf(readCode(readFileSync(root + path, 'utf8')))) {
    if (isType || isDynamic) continue;
    if (specifier.startsWith('.')) loadedBy(posix.join(posix.dirname(path), specifier), found);
    else found.add(specifier);
  }
  return found;
}

test('the files of mcpp/client import no module of Node’s and no package', () => {
  const loaded = [...loadedBy('dist/entries/client.js')];
  // Which file this is, is decided by the runtime.
  expect(loaded.filter((path) => !path.startsWith('dist/'))).toEqual([]);
  const modules = loaded
    .filter((path) => path.startsWith('dist/'))
    .flatMap((path) => modulesIn(readFileSync(root + path, 'utf8')));
  expect(modules).toContain('src/client/connection.ts');
  expect(modules.filter((path) => /^src\/(transport\/(stdio|websocket)|server)\//.test(path))).toEqual([]);
});

test('what starts programs is loaded when the first program is started', () => {
  const script = `
    const { connect } = await import('mcpp/client');
    const isLoaded = () => process.moduleLoadList.includes('NativeModule child_process');
    const early = isLoaded();
    await connect({ command: 'there-is-no-such-program' }).catch(() => {});
    console.log(JSON.stringify({ early, late: isLoaded() }));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual({ early: false, late: true });
});

test('Node’s HTTP is loaded when the first URL is connected to, and TLS only for https', () => {
  const script = `
    const { connect } = await import('mcpp/client');
    const isLoaded = (name) => process.moduleLoadList.includes('NativeModule ' + name);
    const early = isLoaded('_http_client');
    await connect('http://127.0.0.1:1/mcp').catch(() => {});
    const late = [isLoaded('_http_client'), isLoaded('https'), isLoaded('child_process')];
    await connect('https://127.0.0.1:1/mcp').catch(() => {});
    console.log(JSON.stringify({ early, late, tls: isLoaded('https') }));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual({ early: false, late: [true, false, false], tls: true });
});
