/**
 * The guard of a program: a shell that ends the program and all processes it started when this process is gone, however it
 * went. It runs before the program does, and reads a pipe whose other end only this process has: the pipe ends with it.
 * There is no guard on Windows, nor where there is no shell.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { guardScript } from './guard-script.ts';

/** A guard that runs. */
export interface HostGuard {
  /** Names the process group that the guard ends, by its leader. */
  watch(leader: number): void;
  /** Ends the guard and nothing else. Resolves when its process is gone. */
  release(): Promise<void>;
}

const NONE: HostGuard = { watch: () => {}, release: async () => {} };
const OUT_OF_RESOURCES: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);
const TICK_MS = 200;
// Everything has to be gone 10 s after this process.
const LONGEST_GRACE_MS = 3000;

/**
 * Starts a guard for the program whose environment will have `mark`, and for the processes that inherit it. Throws the
 * error of the system if that has no room for another process: then there is none for the program either.
 */
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
    // A session of its own, which the signals of a terminal and of a process group do not reach.
    detached: true,
    cwd: '/',
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}
