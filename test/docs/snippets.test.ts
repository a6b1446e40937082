import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { pages, root, snippetsOf } from './snippets.ts';

const folder = join(root, '.cache/snippets');
const snippets = pages().flatMap(snippetsOf);
const fileOf = (place: string): string => join(folder, place.replaceAll(/[^A-Za-z0-9]/g, '-'));

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { place, code } of snippets) writeFileSync(`${fileOf(place)}.ts`, code);
  const compilerOptions = { isolatedDeclarations: false, declaration: false, noUnusedLocals: false, lib: ['ES2023'] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }),
  );
});

test('there are snippets to look at', () => {
  expect(snippets.length).toBeGreaterThan(5);
});

test('every snippet of README and docs type-checks', { timeout: 60_000 }, () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
});

test.each(snippets)('the snippet at $place runs, and prints what the page says', ({ place, code, prints }) => {
  const file = `${fileOf(place)}.mjs`;
  writeFileSync(file, transformSync(code, { loader: 'ts', target: 'es2023' }).code);
  const stdout = execFileSync(process.execPath, [file], { input: '', encoding: 'utf8', timeout: 20_000 });
  if (prints !== undefined) expect(stdout).toBe(prints);
});
