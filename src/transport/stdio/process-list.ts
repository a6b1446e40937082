/** Lists the processes of this machine that are visible to this process. */

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

export interface ProcessRow {
  readonly pid: number;
  /** Pid of the parent process; that of init or a subreaper if the parent has exited. */
  readonly parent: number;
  readonly group: number;
  /** Start time in a platform-specific format. Pids are reused, but not with the same start time. */
  readonly started: string;
  /** True if `MCPP_TREE` in the environment of the process begins with the searched mark. Always false except on Linux. */
  readonly isMarked: boolean;
}

/** Environment variable that marks a server process. Its descendants inherit it, so that orphans are found too. */
export const MARK = 'MCPP_TREE';

const INHERITED_MARK = /^[\da-f/-]{1,1000}$/;

/**
 * Returns a new value for `MCPP_TREE`. If this process has one itself, the new value begins with it, so that the end of the
 * outer tree includes the inner one. An inherited value in another format is ignored: the guard script searches for it as text.
 */
export function newMark(inherited: string | undefined = process.env[MARK]): string {
  const own = randomUUID();
  return inherited !== undefined && INHERITED_MARK.test(inherited) ? `${inherited}/${own}` : own;
}

const PS_MS = 2000;

/** Returns all running processes without zombies; undefined if the system gives no list. `isMarked` refers to `mark`. */
export async function listProcesses(
  platform: string = process.platform,
  mark?: string,
): Promise<ProcessRow[] | undefined> {
  return (platform === 'linux' ? await fromProc(mark) : undefined) ?? (await fromPs());
}

// Reads /proc, because many containers have no `ps`.
async function fromProc(mark: string | undefined): Promise<ProcessRow[] | undefined> {
  try {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    // A process that has ended meanwhile has no files, and gets no row.
    const rows = await Promise.all(pids.map((pid) => readProc(pid, mark)));
    const living = rows.filter((row) => row !== undefined);
    return living.length > 0 ? living : undefined;
  } catch {
    return undefined;
  }
}

async function readProc(pid: string, mark: string | undefined): Promise<ProcessRow | undefined> {
  const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
  const row = readStat(await read('stat'));
  if (!row || mark === undefined) return row;
  return { ...row, isMarked: `\0${await read('environ')}`.includes(`\0${MARK}=${mark}`) };
}

function fromPs(): Promise<ProcessRow[] | undefined> {
  const args = ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='];
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  return new Promise((resolve) => {
    execFile('ps', args, { env, timeout: PS_MS, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      resolve(error ? undefined : stdout.split('\n').flatMap((line) => readPs(line) ?? []));
    });
  });
}

/** Parses `/proc/<pid>/stat`, such as `12 (name) S 1 12 ...`. The name can contain any characters. */
export function readStat(stat: string): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return row(stat.slice(0, stat.indexOf(' ')), fields[1], fields[2], fields[0], fields[19]);
}

/** Parses a line of `ps`, such as `12 1 12 Ss Sat Nov 15 22:58:00 2025`. */
export function readPs(line: string): ProcessRow | undefined {
  const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
  return row(pid, parent, group, state, started.join(' '));
}

function row(pid?: string, parent?: string, group?: string, state?: string, started?: string): ProcessRow | undefined {
  const isDead = state === undefined || /^[ZXx]/.test(state);
  if (!Number(pid) || started === undefined || isDead) return undefined;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), started, isMarked: false };
}
