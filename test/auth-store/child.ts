/** Builds `program.ts` once and runs it in processes. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A folder for one test file, with the program in it. */
export interface Place {
  readonly folder: string;
  run(what: string, ...args: string[]): Child;
  /** Ends what still runs and takes the folder away. */
  remove(): Promise<void>;
}

/** Makes one. */
export async function makePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpp-store-'));
  const program = join(folder, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./program.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  const children: Child[] = [];
  return {
    folder,
    run(what, ...args) {
      const child = new Child([program, what, ...args]);
      children.push(child);
      return child;
    },
    async remove() {
      await Promise.all(children.map((child) => child.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One process. */
export class Child {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #lines = 0;
  readonly #waiting = new Set<{ count: number; resolve: () => void }>();

  constructor(args: readonly string[]) {
    this.#process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#ended = once(this.#process, 'close');
    if (!this.#process.stdout) throw new Error('There is no stdout');
    createInterface(this.#process.stdout).on('line', () => {
      this.#lines++;
      for (const one of this.#waiting) if (this.#lines >= one.count) one.resolve();
    });
  }

  /** Resolves when it has told so many lines. */
  told(count: number): Promise<void> {
    if (this.#lines >= count) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.add({ count, resolve });
      void this.#ended.then(() => reject(new Error(`It ended after ${this.#lines} of ${count} lines`)));
    });
  }

  /** Resolves with its exit code, or null if it was killed. */
  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#process.exitCode;
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }
}
