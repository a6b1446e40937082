/**
 * Nothing survives the death of this process, however it dies: a shell waits for that, and then ends what we started.
 * On Windows there is no such shell: there a server has to see for itself that its input ends.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { MARK } from './process-list.ts';

/** Waits beside a process tree for the death of this process. */
export interface HostGuard {
  /** The tree is gone, and so is the guard when this resolves. */
  release(): Promise<void>;
}

const NONE: HostGuard = { release: async () => {} };
const STEP_MS = 100;

/** Guards a process group, named by its leader, and those who descend from the leader or have this mark. */
export function guardTree(leader: number, graceMs: number, mark = ''): HostGuard {
  if (process.platform === 'win32') return NONE;
  let guard: ChildProcess;
  try {
    const args = ['-c', guardScript(), 'mcpp-guard', String(leader), String(Math.ceil(graceMs / STEP_MS)), mark];
    // A session of its own, so that what a terminal sends to us all does not reach it.
    guard = spawn('/bin/sh', args, {
      detached: true,
      cwd: '/',
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  } catch {
    return NONE;
  }
  // A system without a shell has no guard, and the connection works all the same.
  guard.on('error', () => {});
  const pipe = guard.stdin as Socket;
  pipe.on('error', () => {});
  pipe.unref();
  guard.unref();
  return {
    async release() {
      if (guard.pid === undefined || guard.exitCode !== null || guard.signalCode !== null) return;
      guard.ref();
      const gone = once(guard, 'close');
      guard.kill('SIGKILL');
      pipe.destroy();
      await gone;
    },
  };
}

// Every process as "number parent start". The start is there to know a process again: numbers are used again.
const TABLE_OF_PROC = `
  for file in /proc/[0-9]*/stat; do
    read -r line <"$file" || continue
    number=\${line%% *}
    set -- \${line##*) }
    echo "$number $2 \${20}"
  done`;
const TABLE_OF_PS = `
  ps -A -o pid= -o ppid= -o lstart= | while read -r number parent a b c d e; do
    echo "$number $parent $a$b$c$d$e"
  done`;

/**
 * What the guard runs, with the leader's number, the grace in tenths of a second and the mark. The pipe that it reads is never
 * written to: it ends when this process does. Then it waits for the leader to see that its input ended, sends SIGTERM
 * to whoever is left, and SIGKILL in the end.
 */
export function guardScript(platform: string = process.platform): string {
  return `
trap '' HUP INT TERM
leader=$1 grace=$2 mark=$3
table() {${platform === 'linux' ? TABLE_OF_PROC : TABLE_OF_PS}
}
below() {
  echo "$all" | while read -r number parent start; do
    if [ "$parent" = "$1" ]; then echo "$number:$start"; below "$number"; fi
  done
}
marked() {
  [ "$mark" ] && echo "$all" | while read -r number parent start; do
    grep -qs "${MARK}=$mark" "/proc/$number/environ" && echo "$number:$start"
  done
}
living() {
  kill -s 0 -- "-$leader" && return
  for one in $family; do kill -s 0 "\${one%%:*}" && return; done
  return 1
}
send() {
  kill -s "$1" -- "-$leader"
  [ "$family" ] && table | while read -r number parent start; do
    case " $family " in *" $number:$start "*) kill -s "$1" "$number" ;; esac
  done
}
waiting() {
  left=$grace
  while "$@" && [ "$left" -gt 0 ]; do
    sleep 0.1 || sleep 1
    left=$((left - 1))
  done
}
read -r never
all=$(table)
family=$(echo $(below "$leader"; marked))
waiting kill -s 0 "$leader"
living || exit 0
send TERM
waiting living
living && send KILL
exit 0
`;
}
