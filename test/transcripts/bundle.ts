/** Builds the servers of the transcripts against the built package, as a user's program would be. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A built program, to be removed after use. */
export interface Bundle {
  readonly program: string;
  remove(): void;
}

/** Builds one of the programs of this folder. */
export async function bundle(name: string): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpp-transcripts-'));
  await build({
    entryPoints: [at(`${name}.ts`)],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    alias: { 'mcpp/server': at('../../dist/entries/server.js'), 'mcpp/stdio': at('../../dist/entries/stdio.js') },
  });
  return { program: join(folder, `${name}.mjs`), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
