/** A program under attack: a process of its own with a heap of 256 MB, whose CPU time, event loop and memory are measured. */

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** The cost of an attack for the process that was attacked. */
export interface Cost {
  /** CPU time of all threads, in milliseconds. */
  readonly cpuMs: number;
  /** The longest time the event loop did not turn, in milliseconds. */
  readonly maxDelayMs: number;
  /** Resident memory at its highest, in MB. */
  readonly peakRssMb: number;
  /** Heap in use after garbage collection, at the end, in MB. */
  readonly heapMb: number;
}

/** One started program. */
export interface Victim<R> {
  /** What the program said when it was ready. */
  readonly ready: R;
  /** Runs an action of the program, by name. */
  run(action: string, argument?: unknown): Promise<unknown>;
  /** Measures what happens to the program during `attack`. Rejects if the program ends. */
  during(attack: () => unknown): Promise<Cost>;
  /** Everything the program wrote to stderr. */
  stderr(): string;
  close(): Promise<void>;
}

interface Answer {
  readonly id?: number;
  readonly ready?: unknown;
  readonly value?: unknown;
  readonly error?: string;
}

/** Starts `programs/<name>.mjs`, which calls `underAttack` of measured.mjs. */
export async function startVictim<R = { port: number }>(
  name: string,
  { heapMb = 256, env = {} }: { readonly heapMb?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Victim<R>> {
  const file = fileURLToPath(new URL(`programs/${name}.mjs`, import.meta.url));
  const execArgv = [`--max-old-space-size=${heapMb}`, '--expose-gc'];
  const child = fork(file, { execArgv, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const calls = new Calls(child);
  const ready = (await calls.ready) as R;
  return {
    ready,
    run: (action, argument) => calls.make('run', { action, argument }),
    async during(attack) {
      await calls.make('begin');
      await Promise.race([Promise.resolve(attack()).catch((error) => calls.blame(error)), calls.ended]);
      return (await calls.make('end')) as Cost;
    },
    stderr: () => calls.stderr,
    close: async () => {
      child.kill('SIGKILL');
      await calls.ended.catch(() => {});
    },
  };
}

class Calls {
  readonly ready: Promise<unknown>;
  /** Rejects when the process ends: no attack may end it. */
  readonly ended: Promise<never>;
  stderr = '';
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #id = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-64 * 1024);
    });
    this.ended = new Promise((_, reject) => {
      child.once('exit', (code, signal) => {
        const error = new Error(`The program ended (${signal ?? code}): ${this.stderr.slice(-2000)}`);
        for (const { reject: fail } of this.#waiting.values()) fail(error);
        reject(error);
      });
    });
    this.ended.catch(() => {});
    this.ready = Promise.race([
      this.ended,
      new Promise((resolve) => {
        child.on('message', ({ id = 0, ready, value, error }: Answer) => {
          if (ready !== undefined) return resolve(ready);
          const waiting = this.#waiting.get(id);
          this.#waiting.delete(id);
          return error === undefined ? waiting?.resolve(value) : waiting?.reject(new Error(error));
        });
      }),
    ]);
  }

  /** Fails with the end of the process if that is why something failed. */
  async blame(error: unknown): Promise<never> {
    await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, 1000))]);
    throw error;
  }

  make(command: string, rest: object = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#id;
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, command, ...rest });
    });
  }
}

/** The bound of SECURITY.md for one request, or for each megabyte of input: half a second of CPU, a quarter without a turn. */
export function expectCheap(cost: Cost, megabytes = 1): void {
  expect(cost.cpuMs, 'CPU time in ms').toBeLessThan(500 * Math.max(1, megabytes));
  expect(cost.maxDelayMs, 'longest block of the event loop in ms').toBeLessThan(250);
}
