/** `spawnable`: finds the executable and quoting for a command on Windows. Imports no own files: cross-spawn is bundled in. */

import type { SpawnOptions } from 'node:child_process';
import crossSpawn from 'cross-spawn';

/** Arguments of Node's `spawn`. */
export interface Spawnable {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  /** Path of the file that was found for the command. Set on Windows only. */
  readonly file?: string | undefined;
}

type Parse = (command: string, args: readonly string[], options: SpawnOptions) => Spawnable;

/** Returns the arguments of `spawn` for a command. Except on Windows, they are the command itself. */
export function spawnable(command: string, args: readonly string[], options: SpawnOptions): Spawnable {
  // The `spawn` of cross-spawn detects a missing program only by its exit code, too late for an error at the start.
  const { _parse: parse } = crossSpawn as unknown as { readonly _parse: Parse };
  return parse(command, args, options);
}
