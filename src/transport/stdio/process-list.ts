/** The processes that run on this machine, as far as we may see them. */

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** One process. */
export interface ProcessRow {
  readonly pid: number;
  /** Who started it; 1 or such if that one is gone. */
  readonly parent: number;
  readonly group: number;
  /** When it started, in some form: numbers are used again, but not with the same start. */
  readonly started: string;
  /** Its environment has the mark that was looked for, or one that begins with it. Always false except on Linux. */
  readonly isMarked: boolean;
}

/** The environment variable that marks a program and what inherits its environment, also after the parents are gone. */
export const MARK = 'MCPP_TREE';

const INHERITED_MARK = /^[\da-f/-]{1,1000}$/;

/**
 * Returns a new mark. In a program that is marked itself it begins with the mark of that program, so that whoever ends the
 * outer tree finds the inner one. An inherited value of any other form is not used: the guard searches for marks as text.
 */
export function newMark(inherited: string | undefined = process.env[MARK]): string {
  const own = randomUUID();
  return inherited !== undefined && INHERITED_MARK.test(inherited) ? `${inherited}/${own}` : own;
}

const PS_MS = 2000;

/**
 * All that live, or undefined if the system does not say. What is dead and only not yet collected is left out. Of each
 * it is told whether it has this mark.
 */
export async function listProcesses(
  platform: string = process.platform,
  mark?: string,
): Promise<ProcessRow[] | undefined> {
  return (platform === 'linux' ? await fromProc(mark) : undefined) ?? (await fromPs());
}

// Programs like ps are not in every container.
async function fromProc(mark: string | undefined): Promise<ProcessRow[] | undefined> {
  try {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    // One that ended meanwhile has no file any more.
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

/** One line of `/proc/<pid>/stat`: `12 (name) S 1 12 ...`, where the name may be anything. */
export function readStat(stat: string): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return row(stat.slice(0, stat.indexOf(' ')), fields[1], fields[2], fields[0], fields[19]);
}

/** One line of `ps`: `12 1 12 Ss Sat Nov 15 22:58:00 2025`. */
export function readPs(line: string): ProcessRow | undefined {
  const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
  return row(pid, parent, group, state, started.join(' '));
}

function row(pid?: string, parent?: string, group?: string, state?: string, started?: string): ProcessRow | undefined {
  const isDead = state === undefined || /^[ZXx]/.test(state);
  if (!Number(pid) || started === undefined || isDead) return undefined;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), started, isMarked: false };
}
