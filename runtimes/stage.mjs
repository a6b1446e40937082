/** A folder like a user's: the package as it is published, in node_modules, and the programs beside it. */

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Fills the folder. */
export async function stage(folder) {
  const installed = join(folder, 'node_modules/mcpp');
  mkdirSync(installed, { recursive: true });
  for (const part of ['package.json', 'dist']) cpSync(join(root, part), join(installed, part), { recursive: true });
  for (const part of ['smoke', 'hosts', 'recipes']) {
    cpSync(join(root, 'runtimes', part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, 'runtimes/node_modules/koa'), join(folder, 'node_modules/koa'), 'junction');
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { mcpp: '*', koa: '*' } }),
  );
  for (const [name, code] of recipes()) writeFileSync(join(folder, 'recipes', `${name}.ts`), code);
  await compile(join(folder, 'recipes/koa.ts'), join(folder, 'recipes/koa.mjs'));
  await compile(join(root, 'test/frameworks/speaker.ts'), join(folder, 'recipes/speaker.mjs'));
}

/** The recipes of the page, by the names of their files; where they listen is left to whoever runs them. */
function recipes() {
  const page = readFileSync(join(root, 'docs/guide/frameworks.md'), 'utf8');
  const found = page.matchAll(/^```ts ([a-z-]+)\.ts\n(.*?)^```$/gms);
  return [...found].map(([, name, code]) => [name, code.replace(/^(Bun|Deno)\.serve\(/m, '$1.serveHere(')]);
}

/** Bundles a Worker, as its users' tools do. Nothing of Node's may be in it. */
export async function bundleWorker(file) {
  await build({
    entryPoints: [file],
    outfile: file.replace(/\.m?[jt]s$/, '.worker.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    tsconfigRaw: {},
    logLevel: 'silent',
  });
}

/** Compiles a program for Node; packages stay where they are. */
async function compile(file, outfile) {
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    tsconfigRaw: {},
    logLevel: 'silent',
  });
}
