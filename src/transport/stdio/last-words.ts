/** The end of a server process: reads its last output, and describes why it ended. */

import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { stderrExcerpt } from '../../client/stderr-excerpt.ts';
import { ConnectionError, type ProcessEnd } from '../../jsonrpc/errors.ts';

/** First sign that a server process ends: its exit, or the end of its stdin or stdout. */
export type Loss = 'exit' | 'input' | 'output';

const PAUSE = 5;
const QUIET_TURNS = 3;
// Minimum number of event loop turns, even after the time limit: a slow receiver can use up all of that time.
const LEAST_TURNS = 4;

/** Waits until the last output of an exited process was read: until three checks find no new data, or `milliseconds` pass. */
export async function drained(streams: readonly Readable[], milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  let seen = -1;
  for (let turns = 0, quiet = 0; quiet < QUIET_TURNS && (turns < LEAST_TURNS || performance.now() < end); turns++) {
    // One turn of the event loop reads all available data, even under high load.
    await turn();
    const open = streams.filter((stream) => !stream.readableEnded && !stream.destroyed);
    if (open.length === 0) return;
    const read = streams.reduce((sum, stream) => sum + (stream as Socket).bytesRead, 0);
    const isQuiet = read === seen && open.every((stream) => !stream.isPaused() && stream.readableLength === 0);
    quiet = isQuiet ? quiet + 1 : 0;
    seen = read;
    await pause(PAUSE);
  }
}

/** Returns the error for calls without a response. Its message has an excerpt of `written`, the end of the process's stderr. */
export function describeEnd(
  name: string,
  what: Loss,
  process: ProcessEnd,
  heard: boolean,
  written: string = process.stderr,
): ConnectionError {
  const { exitCode, signal } = process;
  const how =
    signal !== null
      ? `was ended by ${signal}`
      : exitCode !== null
        ? `exited with code ${exitCode}`
        : `closed its ${what === 'input' ? 'stdin' : 'stdout'} but did not exit, and is ended`;
  const when = heard ? '' : ' before it sent a message';
  const excerpt = stderrExcerpt(written);
  const why = excerpt === undefined ? 'It wrote nothing on stderr' : `The last it wrote on stderr:\n${excerpt}`;
  return new ConnectionError('closed', `The server "${name}" ${how}${when}. ${why}`, { process });
}
