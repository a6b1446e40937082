/** Shell script of the host guard: at the end of its stdin, ends a process group with all its descendants. */

import { MARK } from './process-list.ts';

// Each prints a line per process: pid, parent, group, state, start time. A reused pid has another start time.
const TABLE_OF_PROC = `cat /proc/[0-9]*/stat | awk '{ pid = $1; sub(/.*\\) /, ""); print pid, $2, $3, $1, $20 }'`;
const TABLE_OF_PS = `ps -A -o pid= -o ppid= -o pgid= -o stat= -o lstart= | awk '{ print $1, $2, $3, $4, $5 $6 $7 $8 $9 }'`;

// Each prints a line per process that has the mark in its environment variable `MCPP_TREE`.
const MARKED_IN_PROC = `grep -lsF "${MARK}=$mark" /proc/[0-9]*/environ | awk -F/ '{ print "marked", $3 }'`;
const MARKED_IN_PS = `ps -A -E -ww -o pid= -o command= | awk -v mark="$mark" 'index($0, "${MARK}=" mark) { print "marked", $1 }'`;

/**
 * Returns the script. Arguments: grace period in ticks of 0.2 s, and the mark. Stdin: pid of the group leader; it ends with the
 * process that started the guard. Then the group has the grace period to exit; SIGTERM and, after another grace period, SIGKILL
 * follow for the tree. The tree is listed repeatedly, because members can start processes. Without a list it is the group.
 */
export function guardScript(platform: string = process.platform): string {
  const [table, marked] = platform === 'linux' ? [TABLE_OF_PROC, MARKED_IN_PROC] : [TABLE_OF_PS, MARKED_IN_PS];
  return `
trap '' HUP INT TERM
grace=$1 mark=$2 leader= family=
tick() {
  sleep 0.2 || { sleep 1; left=$((left - 4)); }
}
look() {
  [ "$leader" ] && ! kill -s 0 -- "-$leader" && leader=
  family=$({ ${marked}; ${table}; } | awk -v leader="$leader" -v known=" $family" '
    $1 == "marked" { marked[$2] = 1; next }
    { rows++ }
    $4 !~ /^[ZXx]/ { parent[$1] = $2; group[$1] = $3; start[$1] = $5 }
    END {
      if (!rows) exit 1
      for (pid in start) {
        if (pid in marked || (leader && group[pid] == leader) || index(known, " " pid ":" start[pid] ":")) found[pid] = 1
      }
      do {
        more = 0
        for (pid in start) if (!(pid in found) && (parent[pid] in found)) { found[pid] = 1; more = 1 }
      } while (more)
      for (pid in found) printf "%s:%s:%s ", pid, start[pid], group[pid]
    }') || family=\${leader:+$leader::$leader}
  [ "$family" ]
}
gone() {
  # Twice: a process that is being started is not marked for a moment.
  look && return 1
  tick
  ! look
}
living() {
  [ "$leader" ] && kill -s 0 -- "-$leader" && return
  for one in $family; do kill -s 0 "\${one%%:*}" && return; done
  return 1
}
wait_while() {
  left=$grace
  while [ "$left" -gt 0 ] && "$@"; do
    [ $((left % 5)) = 0 ] && look
    tick
    left=$((left - 1))
  done
}
send() {
  [ "$leader" ] && kill -s "$1" -- "-$leader"
  for one in $family; do
    [ "\${one##*:}" = "$leader" ] || kill -s "$1" "\${one%%:*}"
  done
}
while read -r number; do leader=$number; done
gone && exit
[ "$leader" ] && wait_while kill -s 0 "$leader"
gone && exit
send TERM
wait_while living
left=15
until gone || [ "$left" -le 0 ]; do
  send KILL
  tick
  left=$((left - 1))
done
`;
}
