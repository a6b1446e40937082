/** A server that is a program: how its user names it, and how it is to be run. */

import type { JsonLimits } from '../jsonrpc/json/json-limits.ts';
import { shorten } from '../jsonrpc/printable.ts';

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

/** Exactly what will be run. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** What becomes of stderr, besides that its end is kept. */
export type StderrSink = 'keep' | 'inherit' | ((text: string) => void);

/** Options of a server that is a program. */
export interface ChildOptions {
  /**
   * What becomes of what the program writes on stderr, besides that the last 4 KB are kept for errors: `'inherit'`
   * writes it to our stderr, a function gets it as text. Default: `'keep'`, nothing more.
   */
  readonly stderr?: StderrSink;
  /** Asked before anything is started, with exactly what will be run. If it says false or throws, nothing is. */
  readonly allowCommand?: (command: Invocation) => boolean | Promise<boolean>;
  /**
   * Milliseconds between the end of the program's input, SIGTERM and SIGKILL. Default: 2000. If this process is gone, at
   * most 3000.
   */
  readonly graceMs?: number;
  /** Bytes one incoming line may have. Default: 16 MiB. */
  readonly maxLineLength?: number;
  /** How much structure one incoming message may have. Default: 64 levels; its elements count in bytes, up to `maxLineLength`. */
  readonly limits?: JsonLimits;
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
