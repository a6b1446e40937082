import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { pages, root, type Snippet, snippetsOf } from './snippets.mjs';

const folder = join(root, '.cache/snippets');
const others = join(folder, 'others');
/** Those of the packages that are installed here. `npm run interop -- docs` checks and runs those for other libraries. */
const snippets = pages()
  .flatMap(snippetsOf)
  .filter(({ library }) => library === undefined || library === '@modelcontextprotocol/sdk');
const fileOf = ({ place, library }: Snippet): string =>
  join(library === undefined ? folder : others, place.replaceAll(/[^A-Za-z0-9]/g, '-'));

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(others, { recursive: true });
  for (const snippet of snippets) writeFileSync(`${fileOf(snippet)}.ts`, snippet.code);
  const compilerOptions = { isolatedDeclarations: false, declaration: false, noUnusedLocals: false, lib: ['ES2023'] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }),
  );
  // The declarations of the official SDK do not compile with all of our settings.
  const lenient = { skipLibCheck: true, exactOptionalPropertyTypes: false };
  writeFileSync(
    join(others, 'tsconfig.json'),
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions: lenient, include: ['*.ts'] }),
  );
});

function compile(project: string): string {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
  return status === 0 ? stdout : `${stdout}${stderr}tsc ended with ${status}`;
}

test('there are snippets to look at', () => {
  expect(snippets.length).toBeGreaterThan(5);
});

test('every snippet of README and docs type-checks', { timeout: 60_000 }, () => {
  expect(compile(folder)).toBe('');
});

test('every snippet for the official SDK type-checks', { timeout: 60_000 }, () => {
  expect(compile(others)).toBe('');
});

test('each table of docs/migration.md has another library on the left and this package on the right', () => {
  const blocks = snippetsOf('docs/migration.md');
  const tables = new Set(blocks.map(({ table }) => table));
  expect(tables.size).toBeGreaterThan(15);
  const wrong = [...tables].filter((name) => {
    const [before, after, ...more] = blocks.filter(({ table }) => table === name);
    if (name === undefined || !before || !after || more.length > 0) return true;
    return before.library === undefined || after.library !== undefined || !after.code.includes("from 'mcpp");
  });
  expect(wrong).toEqual([]);
});

test.each(snippets)('the snippet at $place runs, and prints what the page says', (snippet) => {
  const file = `${fileOf(snippet)}.mjs`;
  writeFileSync(file, transformSync(snippet.code, { loader: 'ts', target: 'es2023' }).code);
  const stdout = execFileSync(process.execPath, [file], { input: '', encoding: 'utf8', timeout: 20_000 });
  if (snippet.prints !== undefined) expect(stdout).toBe(snippet.prints);
});
