// Builds dist/: one module per source file, and the JSON Schema engine with what it needs in a chunk of its own,
// so that the package has no dependencies and loads the engine only when a raw JSON Schema is checked.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

rmSync('dist', { recursive: true, force: true });
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
await build({
  entryPoints: ['src/schema/engine.ts'],
  outfile: 'dist/schema/engine.js',
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  minifySyntax: true,
  legalComments: 'none',
  banner: { js: '// Contains TypeBox, MIT licence: see THIRD-PARTY-NOTICES.md.' },
  allowOverwrite: true,
});
