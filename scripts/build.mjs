// Builds dist/: a file for each entry of the package, a few that entries share, and declarations, one per source file. Why
// not one module per source file is in docs/decisions/bundled-entries.md. What we use of others is bundled with ours, except
// for what authorization needs, which is a dependency (docs/decisions/runtime-dependencies.md).
// With --if-changed nothing is done when the sources are those of the last build.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';
import { installedPackage, packageFolderOf, sbomOf } from './sbom.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { exports, imports, dependencies, peerDependencies } = manifest;
const published = [
  ...Object.values(exports).map((entry) => entry.default),
  ...Object.values(imports).flatMap(Object.values),
];

/** Every file that has a name of its own: what package.json names, and the large parts that are loaded late, if at all. */
const entries = [
  ...new Set(published.filter((path) => path !== undefined).map((path) => /^\.\/dist\/(.*)\.js$/.exec(path)[1])),
  'schema/check/engine',
  'extensions/skills/yaml',
  'transport/stdio/cross-spawn',
];

const ROOT = sourceOf('entries/mcpp');
const OF_SIDES = /[\\/]src[\\/](server|client|entries)[\\/]/;

/**
 * Files for what several entries load: a module goes into the first whose condition its entries meet. `by` says whether an
 * entry loads it, `ever` whether it does so at all, on demand included. What only one side needs is apart from what both need.
 */
const shared = {
  base: (by, ever) => by('mcpp') && (by('server') || !ever('server')),
  core: (by) => by('client') && by('server'),
  server: (by) => by('server'),
  messages: (by) => (by('stdio') && by('fetch')) || (by('client') && (by('stdio') || by('fetch') || by('websocket'))),
  requests: (by) => by('client') && by('auth/client'),
  checks: (by) => by('client') && by('schema/check/engine'),
  client: (by) => by('client'),
  protected: (by) => by('fetch') && by('auth/server'),
  'http-server': (by) => by('fetch'),
};

/** Packages that may be bundled. THIRD-PARTY-NOTICES.md has their versions and licences, and check-package.mjs compares them. */
const bundled = [
  'typebox',
  'eventsource-parser',
  'yaml',
  'cross-spawn',
  'path-key',
  'shebang-command',
  'shebang-regex',
  'which',
  'isexe',
];
const licences = ['MIT', 'ISC'];

/** What CommonJS modules ask Node for. There is no require() in an ES module. */
const required = ['child_process', 'fs', 'path'];

const stamp = 'node_modules/.cache/mcpp/build';
const sources = hashOf([
  ...filesIn('src').filter((file) => !file.includes('.test.')),
  'scripts/build.mjs',
  'scripts/sbom.mjs',
  'package.json',
  'package-lock.json',
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
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, sourceOf(entry)])),
    platform: 'neutral',
    // Which file a `#` means is decided where the package is used.
    external: [/^(#|node:)/, ...Object.keys({ ...dependencies, ...peerDependencies })],
    plugins: [esmExternalRequirePlugin({ external: required })],
    resolve: { mainFields: ['main'] },
    tsconfig: false,
    preserveEntrySignatures: 'strict',
  });
  try {
    const { output } = await bundle.write({
      dir: scratch,
      entryFileNames: '[name].js',
      chunkFileNames: 'shared/[name].js',
      codeSplitting: { groups: Object.keys(shared).map(sharedFile) },
      paths: Object.fromEntries(required.map((name) => [name, `node:${name}`])),
      // Read by whoever steps into it or looks at a stack trace; minified it would load no sooner.
      minify: false,
      minifyInternalExports: false,
      comments: { legal: false },
      banner: noticeOf,
    });
    writeFileSync(join(scratch, 'sbom.cdx.json'), sbomOf(manifest, componentsOf(output)));
  } finally {
    await bundle.close();
  }
}

function sharedFile(name, index, { length }) {
  return {
    debugName: name,
    name(id, graph) {
      const [by, ever] = [false, true].map((late) => {
        const importers = importersOf(id, graph, late);
        return (entry) => importers.has(sourceOf(`entries/${entry}`)) || importers.has(sourceOf(entry));
      });
      return shared[name](by, ever) ? name : null;
    },
    test: (id) => !entries.map(sourceOf).includes(id),
    minShareCount: 2,
    priority: length - index,
  };
}

/**
 * The modules that load one whenever they are loaded, or with `late` also those that may do so later. The names of servers and
 * clients that the root entry re-exports do not count: they stay in the files of those.
 */
function importersOf(id, graph, late, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  const { importers, dynamicImporters } = graph.getModuleInfo(id);
  for (const importer of late ? [...importers, ...dynamicImporters] : importers) {
    if (importer === ROOT && OF_SIDES.test(id)) continue;
    importersOf(importer, graph, late, found);
  }
  return found;
}

function sourceOf(entry) {
  return resolve(`src/${entry}.ts`);
}

/** Names the bundled packages in a file, with versions and licences. */
function noticeOf({ moduleIds }) {
  const packages = packagesIn(moduleIds).map(({ name, version, licence }) => `${name} ${version} (${licence})`);
  return packages.length === 0 ? '' : `// Contains ${packages.join(', ')}: see THIRD-PARTY-NOTICES.md.`;
}

/** Returns the bundled packages that modules are from. */
function packagesIn(moduleIds) {
  const folders = new Set(moduleIds.map(packageFolderOf).filter((folder) => folder !== undefined));
  const packages = [...folders].map((folder) => installedPackage(folder, lock));
  for (const { name, licence } of packages) {
    if (!bundled.includes(name)) throw new Error(`${name} would be bundled: it is not in the list of build.mjs`);
    if (!licences.includes(licence)) throw new Error(`${name} would be bundled: its licence is ${licence}`);
  }
  return packages;
}

/** Returns the components of the SBOM: the bundled packages with the files they are in, dependencies and peers. */
function componentsOf(output) {
  const components = new Map();
  for (const { fileName, moduleIds = [] } of output) {
    for (const found of packagesIn(moduleIds)) {
      const files = components.get(found.name)?.files ?? [];
      components.set(found.name, { ...found, files: [...files, `dist/${fileName}`] });
    }
  }
  const installed = (name) => installedPackage(`node_modules/${name}`, lock);
  return [
    ...components.values(),
    ...Object.keys(dependencies).map(installed),
    ...Object.keys(peerDependencies).map((name) => ({ ...installed(name), isOptional: true })),
  ];
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
