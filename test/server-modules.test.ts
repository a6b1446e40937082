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

test('all of a server is loaded at its start, but for the JSON Schema engine', () => {
  const start = modulesOf(program, false);
  const later = [...modulesOf(program, true)].filter((path) => !start.has(path));
  expect(start).toContain('src/server/features/tools.ts');
  expect(start).toContain('src/protocol/stateful/revision.ts');
  expect(start).not.toContain('src/schema/check/engine.ts');
  expect(later.filter((path) => path.startsWith('src/') && !path.startsWith('src/schema/'))).toEqual([]);
  expect(later).toContain('src/schema/check/engine.ts');
});

test('a program never loads what serves HTTP, nor a client, whatever it loads later', () => {
  const foreign = [...modulesOf(program, true)].filter((path) =>
    /^src\/(auth|client|transport\/(http|websocket))\//.test(path),
  );
  expect(foreign).toEqual([]);
});
