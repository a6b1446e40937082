/** A process of its own that shares a file store with others: what it does is told by its arguments. */

import promises, { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { openFileStore } from '../../src/auth/client/node-file-store.ts';

const [, , what = '', path = '', count = '0'] = process.argv;
const store = openFileStore(path);
const { signal } = new AbortController();

const tell = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const PROGRAMS: ReadonlyMap<string, () => Promise<void>> = new Map([
  [
    'increment',
    async () => {
      for (let i = 0; i < Number(count); i++) {
        await store.exclusive(
          'counter',
          async () => store.set('counter', Number((await store.get('counter')) ?? 0) + 1),
          signal,
        );
      }
    },
  ],
  [
    'write',
    async () => {
      for (let n = 0; ; n++) {
        await store.set('state', stateOf(n));
        tell(String(n));
      }
    },
  ],
  [
    'crash',
    async () => {
      await killAt(Number(count));
      await store.set('state', stateOf(1));
    },
  ],
  [
    'hold',
    async () => {
      const stay = setInterval(() => {}, 1000);
      await store.exclusive('counter', () => tellAndWait(), signal);
      clearInterval(stay);
    },
  ],
  // Nothing is left to do but to have the lock.
  ['hold-idle', () => store.exclusive('counter', () => tellAndWait(), signal)],
  [
    'hold-exit',
    () =>
      store.exclusive(
        'counter',
        async () => {
          tell('held');
          process.exit(0);
        },
        signal,
      ),
  ],
]);

/** Large enough to be written in more than one go. */
function stateOf(n: number): { n: number; copies: number[] } {
  return { n, copies: Array<number>(20_000).fill(n) };
}

/** Has the process killed when it uses the file system for the n-th time; before it does, or in the middle of a write. */
async function killAt(n: number): Promise<void> {
  let uses = 0;
  const die = (): void => {
    if (uses++ === n) process.kill(process.pid, 'SIGKILL');
  };
  const handle = await open(process.execPath);
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { writeFile, sync } = prototype;
  prototype.writeFile = async function (this: FileHandle, data) {
    const text = String(data);
    await writeFile.call(this, text.slice(0, text.length / 2));
    die();
    await writeFile.call(this, text.slice(text.length / 2));
  };
  prototype.sync = function (this: FileHandle) {
    die();
    return sync.call(this);
  };
  for (const name of ['open', 'rename', 'unlink', 'readdir'] as const) {
    const original = promises[name] as (...args: unknown[]) => unknown;
    Object.assign(promises, {
      [name]: (...args: unknown[]) => {
        die();
        return original(...args);
      },
    });
  }
  syncBuiltinESMExports();
}

function tellAndWait(): Promise<void> {
  tell('held');
  return new Promise(() => {});
}

await PROGRAMS.get(what)?.();
