/** Plays transcripts over the standard streams of a process that runs the built package. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Inbox } from './inbox.ts';
import type { Runner } from './play.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Builds the servers of the transcripts against the built package; gives the runner, and how to clean up after it. */
export async function stdioRunner(): Promise<{ readonly runner: Runner; readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpp-transcripts-'));
  await build({
    entryPoints: [at('serve-stdio.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    alias: { 'mcpp/server': at('../../dist/entries/server.js'), 'mcpp/stdio': at('../../dist/entries/stdio.js') },
  });
  const running = new Set<ChildProcess>();
  const open: Runner['open'] = async (name) => {
    const child = spawn(process.execPath, [join(folder, 'serve-stdio.mjs'), name], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    running.add(child);
    const inbox = new Inbox();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.once('error', (error) => inbox.end(error));
    child.once('exit', (code) => inbox.end(new Error(`the server ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => inbox.put(JSON.parse(line)));
    return {
      send: (line) => void child.stdin.write(`${line}\n`),
      next: () => inbox.next(),
      async close() {
        running.delete(child);
        child.kill('SIGKILL');
        await ended;
      },
    };
  };
  const remove = (): void => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  return { runner: { name: 'stdio', open }, remove };
}
