// Builds dist/: one module per source file. Four that need somebody else's code have it bundled into them: the JSON
// Schema engine, which is loaded only when a raw JSON Schema is checked, what runs commands on Windows, the parser of
// event streams, and the reader of YAML, which is loaded only where there are skills. What authorization needs is a
// dependency (docs/decisions/two-dependencies.md).
// With --if-changed nothing is done when the sources are those of the last build.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const stamp = 'node_modules/.cache/mcpp/build';
const sources = hashOf([
  ...filesIn('src').filter((file) => !file.includes('.test.')),
  'scripts/build.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
]);
const fresh = existsSync('dist') && existsSync(stamp) && readFileSync(stamp, 'utf8') === sources;
if (!(fresh && process.argv.includes('--if-changed'))) await buildAll();

async function buildAll() {
  const scratch = `node_modules/.cache/mcpp/dist-${process.pid}`;
  try {
    await buildInto(scratch);
    replace(scratch, 'dist');
    writeFileSync(stamp, sources);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function buildInto(scratch) {
  rmSync(scratch, { recursive: true, force: true });
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', scratch];
  execFileSync(process.execPath, tsc, { stdio: 'inherit' });
  await bundle(scratch, 'schema/engine', {
    platform: 'neutral',
    minifySyntax: true,
    banner: { js: '// Contains TypeBox, MIT licence: see THIRD-PARTY-NOTICES.md.' },
  });
  await bundle(scratch, 'transport/stdio/cross-spawn', {
    platform: 'node',
    plugins: [nodeModulesAsImports()],
    banner: { js: '// Contains cross-spawn and what it needs, MIT and ISC licences: see THIRD-PARTY-NOTICES.md.' },
  });
  await bundle(scratch, 'transport/http/client/event-parser', {
    platform: 'neutral',
    banner: { js: '// Contains eventsource-parser, MIT licence: see THIRD-PARTY-NOTICES.md.' },
  });
  await bundle(scratch, 'extensions/skills/yaml', {
    platform: 'neutral',
    minifySyntax: true,
    banner: { js: '// Contains yaml, ISC licence: see THIRD-PARTY-NOTICES.md.' },
  });
}

async function bundle(folder, module, options) {
  await build({
    entryPoints: [`src/${module}.ts`],
    outfile: `${folder}/${module}.js`,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    legalComments: 'none',
    allowOverwrite: true,
    ...options,
  });
}

// There is no require() in an ES module, also not for what Node brings along.
function nodeModulesAsImports() {
  return {
    name: 'node-modules-as-imports',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(child_process|fs|path)$/ }, ({ path, kind }) =>
        kind === 'require-call' ? { path, namespace: 'node' } : undefined,
      );
      onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({ contents: `export * from 'node:${path}';` }));
    },
  };
}

// File by file, so that whoever is reading dist/ meanwhile never finds it half there.
function replace(from, to) {
  const built = filesIn(from).map((file) => file.slice(from.length + 1));
  for (const file of built) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    renameSync(join(from, file), join(to, file));
  }
  for (const file of filesIn(to)) if (!built.includes(file.slice(to.length + 1))) rmSync(file);
  rmSync(from, { recursive: true, force: true });
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(file).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
