/** Authorization is loaded by those who use it: no other entry reaches its files or its dependencies, not even on demand. */

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { importsOf, modulesIn, readCode } from './source-code.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const { imports, exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  imports: Record<string, Record<string, string>>;
  exports: Record<string, { default: string }>;
};

/** Every module that importing this file loads, at once or ever, on whichever runtime. */
function reachedBy(path: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const built = readFileSync(root + path, 'utf8');
  const reached = importsOf(readCode(built)).flatMap(({ specifier = '?' }) => {
    if (specifier.startsWith('.')) return reachedBy(posix.join(posix.dirname(path), specifier), seen);
    if (!specifier.startsWith('#')) return [specifier];
    return Object.values(imports[specifier] ?? {}).flatMap((file) => reachedBy(file.slice(2), seen));
  });
  return [...modulesIn(built), ...reached];
}

const isAuth = (path: string): boolean => /^src\/auth\/|^jose|^oauth4webapi/.test(path);

const entries = Object.entries(exports).filter(([name]) => name !== './package.json');
const others = entries.filter(([name]) => !name.startsWith('./auth/')).map(([name, { default: file }]) => [name, file]);

test.each(others)('%s reaches nothing of authorization', (_name, file = '') => {
  const reached = reachedBy(file.slice(2));
  expect(reached.length).toBeGreaterThan(5);
  expect(reached.filter(isAuth)).toEqual([]);
});

test('the two halves of authorization do not load each other', () => {
  const server = reachedBy('dist/entries/auth/server.js');
  const client = reachedBy('dist/entries/auth/client.js');
  expect(server.filter((path) => path.startsWith('src/auth/client/'))).toEqual([]);
  expect(client.filter((path) => path.startsWith('src/auth/server/'))).toEqual([]);
  expect(server).toContain('jose');
  expect(client).toEqual(expect.arrayContaining(['jose', 'oauth4webapi']));
});

test('neither of them moves messages: no transport is loaded', () => {
  for (const half of ['server', 'client']) {
    const reached = reachedBy(`dist/entries/auth/${half}.js`);
    expect(reached.filter((path) => path.startsWith('src/transport/'))).toEqual([]);
  }
});
