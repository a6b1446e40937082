/** Ends a process with all that it started: politely first, and then not. */

import { type ChildProcess, execFile } from 'node:child_process';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { listProcesses, type ProcessRow } from './process-list.ts';

// What cannot be killed is waited for no longer than this.
const KILL_MS = 1000;
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 100;

/**
 * Asks a process to end with `goodbye`, and ends it and its descendants if that takes longer than `graceMs`:
 * SIGTERM, and after as long again SIGKILL. What is left of them when it ended by itself is ended too.
 * With `mark` those are found too that nothing else connects with it any more.
 * Gives the numbers of those that are still there, which only happens if the system does not let them go.
 */
export async function endTree(
  leader: ChildProcess,
  graceMs: number,
  goodbye: () => void | Promise<void>,
  mark?: string,
): Promise<readonly number[]> {
  if (process.platform === 'win32') return endOnWindows(leader, graceMs, goodbye);
  const tree = new Tree(leader, mark);
  // Before anybody ends: an orphan does not tell whose child it was.
  if (!hasExited(leader)) await tree.look();
  await goodbye();
  await exitOf(leader, graceMs);
  if (await tree.isGone()) return [];
  tree.signal('SIGTERM');
  await tree.goneWithin(graceMs);
  // As long as one of them runs, it may start others.
  await tree.goneWithin(KILL_MS, 'SIGKILL');
  return tree.members;
}

/** True once a process has ended and its exit code is known. */
export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Waits for a process to end, but not longer than `milliseconds`. */
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

/** A process group, and those who descend from it but left it. */
class Tree {
  readonly #leader: ChildProcess;
  readonly #group: number;
  #members: ReadonlyMap<number, ProcessRow> = new Map();
  // A number that nobody has any more can become somebody else's.
  #groupIsOver = false;
  readonly #mark: string | undefined;
  // Orphans that left the group are found by their mark only, so there has to be one look for them.
  #orphansAreKnown: boolean;

  constructor(leader: ChildProcess, mark: string | undefined) {
    this.#leader = leader;
    this.#mark = mark;
    this.#orphansAreKnown = mark === undefined || process.platform !== 'linux';
    this.#group = leader.pid ?? 0;
    this.#groupIsOver = this.#group === 0;
  }

  /** The numbers of those who were there at the last look. */
  get members(): readonly number[] {
    return [...this.#members.keys()];
  }

  /** Finds who belongs to it now. */
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
    // Mostly nobody is left, and then there is no need to look at all the processes of the machine.
    if (this.#groupIsOver && this.#orphansAreKnown && !this.members.some(exists)) this.#members = new Map();
    else await this.look();
    this.#orphansAreKnown ||= exited;
    return exited && this.#members.size === 0;
  }

  /** Waits for the end of all, and sends the signal, if there is one, to those that are left after each look. */
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

  // Where nobody lists processes, there is still the group.
  #guess(): void {
    this.#groupIsOver ||= hasExited(this.#leader) && !exists(-this.#group);
    const leader = { pid: this.#group, parent: process.pid, group: this.#group, started: '', isMarked: false };
    this.#members = new Map(this.#groupIsOver ? [] : [[leader.pid, leader]]);
  }
}

function exists(pid: number): boolean {
  return send(pid, 0);
}

// Fails if there is nobody, which is well, or if they are not ours to signal, which makes them exist.
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

// Windows has no signals, and forgets who descends from a process that has ended.
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
