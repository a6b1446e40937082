/** Ends a process and its descendants: by closing its stdin, then by SIGTERM, then by SIGKILL. */

import { type ChildProcess, execFile } from 'node:child_process';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { listProcesses, type ProcessRow } from './process-list.ts';

// Maximum wait after SIGKILL, in milliseconds.
const KILL_MS = 1000;
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 100;

/**
 * Ends a process and its descendants. Calls `goodbye`, which asks the process to exit; sends SIGTERM after `graceMs`, and
 * SIGKILL after `graceMs` more. Also ends descendants that outlive the process. Those that have left the process group are
 * found by `mark`, their value of `MCPP_TREE`. Returns the pids of processes that did not end.
 */
export async function endTree(
  leader: ChildProcess,
  graceMs: number,
  goodbye: () => void | Promise<void>,
  mark?: string,
): Promise<readonly number[]> {
  if (process.platform === 'win32') return endOnWindows(leader, graceMs, goodbye);
  const tree = new Tree(leader, mark);
  // The tree must be listed before a process exits, because an orphan does not show its former parent.
  if (!hasExited(leader)) await tree.look();
  await goodbye();
  await exitOf(leader, graceMs);
  if (await tree.isGone()) return [];
  tree.signal('SIGTERM');
  await tree.goneWithin(graceMs);
  // SIGKILL is repeated, because a member can start processes until it ends.
  await tree.goneWithin(KILL_MS, 'SIGKILL');
  return tree.members;
}

/** True if the process has ended and its exit code or signal is known. */
export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Waits until a process exits, at most `milliseconds`. */
export function exitOf(child: ChildProcess, milliseconds: number): Promise<void> {
  if (hasExited(child)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      child.off('exit', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    child.once('exit', done);
  });
}

/** A process group, and the descendants that have left it. */
class Tree {
  readonly #leader: ChildProcess;
  readonly #group: number;
  #members: ReadonlyMap<number, ProcessRow> = new Map();
  // True once the group has no processes. Its number can then be reused, and must not be signalled.
  #groupIsOver = false;
  readonly #mark: string | undefined;
  // True once the marks were searched after the exit: orphans that have left the group are found only by their mark.
  #orphansAreKnown: boolean;

  constructor(leader: ChildProcess, mark: string | undefined) {
    this.#leader = leader;
    this.#mark = mark;
    this.#orphansAreKnown = mark === undefined || process.platform !== 'linux';
    this.#group = leader.pid ?? 0;
    this.#groupIsOver = this.#group === 0;
  }

  /** Pids that the last `look` found. */
  get members(): readonly number[] {
    return [...this.#members.keys()];
  }

  /** Updates the members from the list of processes. */
  async look(): Promise<void> {
    const all = await listProcesses(process.platform, this.#mark);
    if (!all) return this.#guess();
    const isMember = ({ pid, group, started, isMarked }: ProcessRow): boolean =>
      isMarked || (group === this.#group && !this.#groupIsOver) || this.#members.get(pid)?.started === started;
    const found = new Map(all.filter(isMember).map((row) => [row.pid, row]));
    for (let size = -1; size < found.size; ) {
      size = found.size;
      for (const row of all) if (found.has(row.parent)) found.set(row.pid, row);
    }
    this.#members = found;
    this.#groupIsOver ||= hasExited(this.#leader) && ![...found.values()].some(({ group }) => group === this.#group);
  }

  async isGone(): Promise<boolean> {
    const exited = hasExited(this.#leader);
    this.#groupIsOver ||= exited && !exists(-this.#group);
    // Usually no process is left, and listing all processes of the machine is not necessary.
    if (this.#groupIsOver && this.#orphansAreKnown && !this.members.some(exists)) this.#members = new Map();
    else await this.look();
    this.#orphansAreKnown ||= exited;
    return exited && this.#members.size === 0;
  }

  /** Waits until all members have ended, at most `milliseconds`. Sends `signal` to the remaining members after each check. */
  async goneWithin(milliseconds: number, signal?: NodeJS.Signals): Promise<void> {
    const end = performance.now() + milliseconds;
    for (let wait = FIRST_PAUSE; !(await this.isGone()); wait = Math.min(2 * wait, LONGEST_PAUSE)) {
      const left = end - performance.now();
      if (left <= 0) return;
      if (signal) this.signal(signal);
      await pause(Math.min(wait, left));
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.#groupIsOver) send(-this.#group, signal);
    for (const { pid, group } of this.#members.values()) if (group !== this.#group) send(pid, signal);
  }

  // Without a list of processes, the tree is the process group.
  #guess(): void {
    this.#groupIsOver ||= hasExited(this.#leader) && !exists(-this.#group);
    const leader = { pid: this.#group, parent: process.pid, group: this.#group, started: '', isMarked: false };
    this.#members = new Map(this.#groupIsOver ? [] : [[leader.pid, leader]]);
  }
}

function exists(pid: number): boolean {
  return send(pid, 0);
}

// Returns true if the process exists, also if this process may not signal it (EPERM).
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

// Windows has no signals, and does not know the descendants of a process that has exited.
async function endOnWindows(
  leader: ChildProcess,
  graceMs: number,
  goodbye: () => void | Promise<void>,
): Promise<readonly number[]> {
  await goodbye();
  await exitOf(leader, graceMs);
  if (!hasExited(leader)) {
    await new Promise<void>((resolve) => {
      const args = ['/T', '/F', '/PID', String(leader.pid)];
      execFile('taskkill', args, { windowsHide: true, timeout: KILL_MS }, () => resolve());
    });
    leader.kill();
    await exitOf(leader, KILL_MS);
  }
  return hasExited(leader) ? [] : [leader.pid ?? 0];
}
