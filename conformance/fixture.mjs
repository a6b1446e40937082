// Builds a program of test/conformance against the built package, as a user's would be, into one file.
// `node conformance/fixture.mjs server`, or `client <url>`: builds it and runs it here.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Builds `server` or `client`, and gives the file. */
export async function bundle(name, folder = join(root, 'node_modules/.cache/mcpp/conformance')) {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(root, `test/conformance/${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    // The package by its own name; elsewhere the compiler is told to look into the sources.
    tsconfigRaw: {},
    alias: {
      mcpp: join(root, 'dist/entries/mcpp.js'),
      ...entries(['server', 'client', 'http', 'auth/client', 'extensions/tasks', 'extensions/skills']),
    },
  });
  return outfile;
}

function entries(names) {
  return Object.fromEntries(names.map((name) => [`mcpp/${name}`, join(root, `dist/entries/${name}.js`)]));
}

/** Builds the package if its sources have changed. */
export function buildPackage() {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-changed'], { stdio: 'inherit' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildPackage();
  await import(pathToFileURL(await bundle(process.argv[2])).href);
}
