/** The recipes of docs/guide/frameworks.md: its code blocks that have a file's name, each a program of its own. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../docs/snippets.mjs';

/** The blocks by the names of their files, which are without their ending. */
export function recipes(): ReadonlyMap<string, string> {
  const page = readFileSync(join(root, 'docs/guide/frameworks.md'), 'utf8');
  const found = page.matchAll(/^```ts ([a-z-]+)\.ts\n(.*?)^```$/gms);
  return new Map([...found].map(([, name = '', code = '']) => [name, code]));
}

/** Writes all of them into an empty folder below the project, and gives it. */
export function writeRecipes(name: string): string {
  const folder = join(root, '.cache', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, code] of recipes()) writeFileSync(join(folder, `${file}.ts`), code);
  return folder;
}
