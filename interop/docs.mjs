/** The blocks of docs/migration.md for libraries that are installed here only: they compile, run, and print what the page says. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { root, snippetsOf } from '../test/docs/snippets.mjs';
import { called } from './peers.mjs';

export const title = 'The blocks of docs/migration.md for other libraries';
export const columns = ['types', 'run'];

const FAMILIES = [
  { name: called('@modelcontextprotocol/server'), isOf: /^@modelcontextprotocol\/(server|client|node)$/ },
  { name: called('fastmcp'), isOf: /^fastmcp$/ },
];

/** One row per library. */
export async function rows(isWanted) {
  const snippets = snippetsOf('docs/migration.md');
  return FAMILIES.map((family) => ({ ...family, revision: '' }))
    .filter(isWanted)
    .map(({ name, revision, isOf }) => {
      const own = snippets.filter(({ library }) => library !== undefined && isOf.test(library));
      const results = { types: own.length === 0 ? ['there are no blocks'] : compile(own), run: own.flatMap(run) };
      const cells = new Map(columns.map((column) => [column, results[column].length === 0 ? 'ok' : 'FAILED']));
      return {
        name,
        revision,
        cells,
        faults: columns.flatMap((column) => results[column].map((fault) => `${column}: ${fault}`)),
      };
    });
}

const folder = join(root, 'interop/.cache/snippets');
const fileOf = ({ place }) => join(folder, place.replaceAll(/[^A-Za-z0-9]/g, '-'));

function compile(snippets) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const snippet of snippets) writeFileSync(`${fileOf(snippet)}.ts`, snippet.code);
  const compilerOptions = {
    isolatedDeclarations: false,
    declaration: false,
    noUnusedLocals: false,
    skipLibCheck: true,
    exactOptionalPropertyTypes: false,
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.json', compilerOptions, include: ['*.ts'] }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  return stdout === '' ? [] : [stdout];
}

function run(snippet) {
  const file = `${fileOf(snippet)}.mjs`;
  writeFileSync(file, transformSync(snippet.code, { loader: 'ts', target: 'es2023' }).code);
  try {
    const options = { cwd: root, input: '', encoding: 'utf8', timeout: 20_000 };
    // fastmcp writes its own messages there, too.
    const stdout = execFileSync(process.execPath, [file], options).replaceAll(/^\[FastMCP .*\n/gm, '');
    if (snippet.prints === undefined || stdout === snippet.prints) return [];
    return [`${snippet.place} prints\n${stdout}in place of\n${snippet.prints}`];
  } catch (error) {
    return [`${snippet.place}: ${error.message}`];
  }
}
