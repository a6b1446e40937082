/** What a program leaves behind: messages that are still in its pipes, and why it ended. */

import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { ConnectionError, type ProcessEnd } from '../../jsonrpc/errors.ts';

/** What showed first that a program is gone, or on its way. */
export type Loss = 'exit' | 'input' | 'output';

const PAUSE = 5;
const QUIET_TURNS = 3;
// A receiver may be slower than all the time there is.
const LEAST_TURNS = 4;
const LINES = 10;
const LENGTH = 1000;

/**
 * Waits until all that a dead program wrote has been read. Its pipes may never end, if another process has them too;
 * so it is enough that nothing comes any more, and not longer than `milliseconds`.
 */
export async function drained(streams: readonly Readable[], milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  let seen = -1;
  for (let turns = 0, quiet = 0; quiet < QUIET_TURNS && (turns < LEAST_TURNS || performance.now() < end); turns++) {
    // After a turn of the event loop, what is there to be read has been read, however busy the machine is.
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

/** The error that calls without an answer get. */
export function describeEnd(name: string, what: Loss, process: ProcessEnd, heard: boolean): ConnectionError {
  const { exitCode, signal } = process;
  const how =
    signal !== null
      ? `was ended by ${signal}`
      : exitCode !== null
        ? `exited with code ${exitCode}`
        : `closed its ${what === 'input' ? 'stdin' : 'stdout'} but did not exit, and is ended`;
  const when = heard ? '' : ' before it sent a message';
  return new ConnectionError('closed', `The server "${name}" ${how}${when}. ${lastLines(process.stderr)}`, { process });
}

function lastLines(stderr: string): string {
  const lines = plain(stderr)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length === 0) return 'It wrote nothing on stderr';
  const last = lines.slice(-LINES).join('\n');
  return `The last it wrote on stderr:\n${last.length > LENGTH ? `...${last.slice(-LENGTH)}` : last}`;
}

// Colours and whatever else a terminal would obey have no place in an error.
function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '');
}
