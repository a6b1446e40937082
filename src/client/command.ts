/** A server that is a program, as its user names it. */

import { shorten } from '../jsonrpc/errors.ts';

/** A program that is a server. */
export interface Command {
  /** A file, or a name that is looked for on the PATH. No shell reads it. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the few variables that are inherited; undefined leaves one out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The directory it runs in. Default: ours. */
  readonly cwd?: string;
}

// Those that stand before the name of the program that is meant, and say nothing of their own.
const LEADING_OPTIONS = ['-y', '--yes', '-q', '-m', '-u'];

/** Names a program in errors: `npx -y some-server`. What follows is left out, as it may hold secrets. */
export function nameOf({ command, args: given }: Pick<Command, 'command' | 'args'>): string {
  // It may be asked for before anybody looked at what a configuration file says.
  const args = Array.isArray(given) ? given.map(String) : [];
  const count = args.findIndex((arg) => !LEADING_OPTIONS.includes(arg));
  const leading = args.slice(0, count === -1 ? args.length : count);
  const next = args[leading.length];
  const isPlain = next !== undefined && !/^-|[=?#&]|:\/\//.test(next);
  return shorten([String(command), ...leading, ...(isPlain ? [next] : [])].join(' '));
}
