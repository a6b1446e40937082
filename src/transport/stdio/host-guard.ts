/** Host guard: a shell that ends the server's process tree when this process dies and a pipe from it ends. Not on Windows. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { guardScript } from './guard-script.ts';

export interface HostGuard {
  /** Sets the process group that the guard ends, by the pid of its leader. */
  watch(leader: number): void;
  /** Ends only the guard. Resolves when the guard process has exited. */
  release(): Promise<void>;
}

const NONE: HostGuard = { watch: () => {}, release: async () => {} };
const OUT_OF_RESOURCES: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);
const TICK_MS = 200;
// Maximum grace period, in milliseconds: all processes must be gone 10 s after this process.
const LONGEST_GRACE_MS = 3000;

/** Starts a guard for processes with `mark` in `MCPP_TREE`. Throws if the system has no resources for another process. */
export async function startGuard(graceMs: number, mark: string): Promise<HostGuard> {
  if (process.platform === 'win32') return NONE;
  let guard: ChildProcess;
  try {
    guard = spawnGuard(Math.ceil(Math.min(graceMs, LONGEST_GRACE_MS) / TICK_MS), mark);
    if (guard.pid === undefined) throw (await once(guard, 'error'))[0];
  } catch (error) {
    if (error instanceof Error && 'code' in error && OUT_OF_RESOURCES.has(error.code)) throw error;
    return NONE;
  }
  guard.on('error', () => {});
  const pipe = guard.stdin as Socket;
  pipe.on('error', () => {});
  pipe.unref();
  guard.unref();
  return {
    watch: (leader) => void pipe.write(`${leader}\n`),
    async release() {
      if (guard.exitCode !== null || guard.signalCode !== null) return;
      guard.ref();
      const gone = once(guard, 'close');
      guard.kill('SIGKILL');
      pipe.destroy();
      await gone;
    },
  };
}

function spawnGuard(ticks: number, mark: string): ChildProcess {
  return spawn('/bin/sh', ['-c', guardScript(), 'mcpp-guard', String(ticks), mark], {
    // A new session: signals of the terminal and of the process group do not reach the guard.
    detached: true,
    cwd: '/',
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}
