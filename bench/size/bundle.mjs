// Programs as bundles: minified, in chunks, and which of the chunks are loaded.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const bench = fileURLToPath(new URL('..', import.meta.url));
const tellChunks = new URL('tell-chunks.mjs', import.meta.url).href;
// Stands before every chunk and does not count: tells that it is loaded. CommonJS modules ask for require() when they are
// bundled, also for what Node brings along.
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
(globalThis.benchChunks ??= []).push(import.meta.url);`;

/**
 * Bundles a program into a folder that is there while `use` is at work. `use` gets the path of the program and the chunks:
 * each with its text, whether it is loaded with the program, and which files it is loaded for if that is by `import()`.
 * `env` has the program tell which of them it loads: `loaded()` gives those when it has ended.
 */
export async function bundled(file, use) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpp-bench-')));
  try {
    const { metafile } = await build({
      entryPoints: [{ in: join(bench, file), out: 'program' }],
      outdir: join(folder, 'out'),
      outExtension: { '.js': '.mjs' },
      absWorkingDir: folder,
      bundle: true,
      splitting: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      legalComments: 'none',
      metafile: true,
      logLevel: 'silent',
      banner: { js: BANNER },
    });
    const program = 'out/program.mjs';
    const atStart = closureOf(metafile.outputs, program);
    const imported = Object.entries(metafile.outputs).filter(
      ([path, { entryPoint }]) => path !== program && entryPoint,
    );
    const chunks = Object.keys(metafile.outputs).map((path) => ({
      path: join(folder, path),
      text: readFileSync(join(folder, path), 'utf8').replace(BANNER, ''),
      isLoadedAtStart: atStart.has(path),
      importedFor: imported
        .filter(([first]) => !atStart.has(path) && closureOf(metafile.outputs, first).has(path))
        .map(([, { entryPoint }]) => entryPoint),
    }));
    const told = join(folder, 'loaded.json');
    return await use({
      program: join(folder, program),
      chunks,
      env: { NODE_OPTIONS: `--import=${tellChunks}`, BENCH_CHUNKS: told },
      loaded() {
        const paths = new Set(JSON.parse(readFileSync(told, 'utf8')).map((url) => fileURLToPath(url)));
        return chunks.filter(({ path }) => paths.has(path));
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The chunks that are imported without `import()`, and by those in turn. */
function closureOf(outputs, first) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[next]) visit(next);
    }
  };
  visit(first);
  return found;
}

/** Kilobytes of chunks, compressed together as one file. */
export const kilobytesOf = (chunks) => gzipSync(chunks.map(({ text }) => text).join('\n'), { level: 9 }).length / 1024;
