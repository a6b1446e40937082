/** Authorization is loaded by those who use it: no other entry reaches its files or its dependencies, not even on demand. */

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { importsOf, readCode } from './source-code.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const { imports, exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  imports: Record<string, Record<string, string>>;
  exports: Record<string, { default: string }>;
};

/** Everything that importing this module loads, at once or ever, on whichever runtime. */
function reachedBy(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const { specifier = '?', isType } of importsOf(readCode(readFileSync(root + path, 'utf8')))) {
    if (isType) continue;
    if (specifier.startsWith('.')) reachedBy(posix.join(posix.dirname(path), specifier), found);
    else if (specifier.startsWith('#')) {
      for (const file of Object.values(imports[specifier] ?? {})) reachedBy(file.slice(2), found);
    } else found.add(specifier);
  }
  return found;
}

const isAuth = (path: string): boolean => /^dist\/auth\/|^jose|^oauth4webapi/.test(path);

const entries = Object.entries(exports).filter(([name]) => name !== './package.json');
const others = entries.filter(([name]) => !name.startsWith('./auth/')).map(([name, { default: file }]) => [name, file]);

test.each(others)('%s reaches nothing of authorization', (_name, file = '') => {
  const reached = [...reachedBy(file.slice(2))];
  expect(reached.length).toBeGreaterThan(5);
  expect(reached.filter(isAuth)).toEqual([]);
});

test('the two halves of authorization do not load each other', () => {
  const server = [...reachedBy('dist/entries/auth/server.js')];
  const client = [...reachedBy('dist/entries/auth/client.js')];
  expect(server.filter((path) => path.startsWith('dist/auth/client/'))).toEqual([]);
  expect(client.filter((path) => path.startsWith('dist/auth/server/'))).toEqual([]);
  expect(server).toContain('jose');
  expect(client).toEqual(expect.arrayContaining(['jose', 'oauth4webapi']));
});

test('neither of them moves messages: no transport is loaded', () => {
  for (const half of ['server', 'client']) {
    const reached = [...reachedBy(`dist/entries/auth/${half}.js`)];
    expect(reached.filter((path) => path.startsWith('dist/transport/'))).toEqual([]);
  }
});
