/**
 * What has to be run for a command to run: on Windows scripts need an interpreter, and quoting that it understands.
 * The build bundles cross-spawn into this file, which therefore imports nothing of ours.
 */

import type { SpawnOptions } from 'node:child_process';
import crossSpawn from 'cross-spawn';

/** Arguments for Node's `spawn`. */
export interface Spawnable {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  /** The file that was found for the command; looked for on Windows only. */
  readonly file?: string | undefined;
}

type Parse = (command: string, args: readonly string[], options: SpawnOptions) => Spawnable;

/** Elsewhere than on Windows the command is what it was. */
export function spawnable(command: string, args: readonly string[], options: SpawnOptions): Spawnable {
  // Its `spawn` would start what is not there and learn that from an exit code, too late to say so.
  const { _parse: parse } = crossSpawn as unknown as { readonly _parse: Parse };
  return parse(command, args, options);
}
