/** What a server of one's own program loads at its start, and what it ever loads. */

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { importsOf, modulesIn, readCode } from './source-code.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const program = ['dist/entries/server.js', 'dist/entries/stdio.js'];

/** The source files that importing these loads: at once, or ever. */
function modulesOf(files: readonly string[], isEver: boolean): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const { specifier = '?', isType, isDynamic } of importsOf(readCode(readFileSync(root + path, 'utf8')))) {
      if (isType || (isDynamic && !isEver) || !specifier.startsWith('.')) continue;
      visit(posix.join(posix.dirname(path), specifier));
    }
  };
  for (const file of files) visit(file);
  return new Set([...found].flatMap((path) => modulesIn(readFileSync(root + path, 'utf8'))));
}

test('what few programs need is not loaded at the start', () => {
  const start = modulesOf(program, false);
  const ever = modulesOf(program, true);
  expect(start).toContain('src/server/tools.ts');
  for (const name of [
    'src/protocol/facts.ts',
    'src/protocol/stateful/methods.ts',
    'src/protocol/stateless/listen.ts',
    'src/protocol/param-headers.ts',
    'src/server/rounds-asked.ts',
    'src/server/pages.ts',
    'src/server/resource-read.ts',
    'src/server/scope-checks.ts',
    'src/server/uri-template-match.ts',
    'src/schema/walker.ts',
    'src/schema/engine.ts',
  ]) {
    expect(start, name).not.toContain(name);
    expect(ever, name).toContain(name);
  }
});

test('a program never loads what serves HTTP, nor a client, whatever it loads later', () => {
  const foreign = [...modulesOf(program, true)].filter((path) =>
    /^src\/(auth|client|transport\/(http|websocket))\//.test(path),
  );
  expect(foreign).toEqual([]);
});

test.each([
  ['stateful', 'stateless'],
  ['stateless', 'stateful'],
])('the %s revisions do not bring the %s ones along', (family, other) => {
  const modules = modulesOf([`dist/shared/${family}.js`], false);
  expect(modules).toContain(`src/protocol/${family}/revision.ts`);
  expect(modules).not.toContain(`src/protocol/${other}/revision.ts`);
});
