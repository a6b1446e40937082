/** Options of servers that run as a child process. */

import type { JsonLimits } from '../jsonrpc/json/message-limits.ts';
import { shorten } from '../jsonrpc/printable.ts';

/** A server that is started as a child process and connected over stdio. */
export interface Command {
  /** Path of an executable, or a name to look up in PATH. Started without a shell, except for batch files on Windows. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Environment variables in addition to the few inherited ones, such as PATH. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Working directory of the process. Default: that of the current process. */
  readonly cwd?: string;
}

/** The process to be started: executable, arguments, environment and working directory. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** Destination of a server's stderr output: see `ChildOptions.stderr`. */
export type StderrSink = 'keep' | 'inherit' | ((text: string) => void);

/** Options of servers that run as a child process. */
export interface ChildOptions {
  /**
   * Destination of the server's stderr output: `'inherit'` is the stderr of the current process, a function receives the text.
   * Default: `'keep'`, no destination. The last 4 KB are always kept for error messages.
   */
  readonly stderr?: StderrSink;
  /** Called before the process is started. If the function returns false or throws, the process is not started. */
  readonly allowCommand?: (command: Invocation) => boolean | Promise<boolean>;
  /** Milliseconds from closing stdin to SIGTERM, then to SIGKILL. Default: 2000. At most 3000 if the current process dies. */
  readonly graceMs?: number;
  /** Maximum length of a received line in bytes. Default: 16 MiB. */
  readonly maxLineLength?: number;
  /** Limits on the structure of a received message. Default: 64 levels of nesting; `maxLineLength` limits the elements. */
  readonly limits?: JsonLimits;
}

// Options of launchers (`npx`, `uvx`, `python`) that precede the name of the program.
const LEADING_OPTIONS = ['-y', '--yes', '-q', '-m', '-u'];

/** Returns a name for error messages, such as `npx -y some-server`. Other arguments are left out, as they can be secrets. */
export function nameOf({ command, args: given }: Pick<Command, 'command' | 'args'>): string {
  // The command can come from a configuration file and is not validated yet.
  const args = Array.isArray(given) ? given.map(String) : [];
  const count = args.findIndex((arg) => !LEADING_OPTIONS.includes(arg));
  const leading = args.slice(0, count === -1 ? args.length : count);
  const next = args[leading.length];
  const isPlain = next !== undefined && !/^-|[=?#&]|:\/\//.test(next);
  return shorten([String(command), ...leading, ...(isPlain ? [next] : [])].join(' '));
}
