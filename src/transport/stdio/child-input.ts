/** `ChildInput`: stdin of a server process. A broken pipe is no error here, because the exit of the process explains more. */

import { Writable } from 'node:stream';

export interface ChildInput {
  /** Accepts all writes. Data that the process can no longer receive is dropped. */
  readonly stream: Writable;
  /** Ends stdin: the process reads end-of-file. */
  close(): void;
}

/** Wraps the stdin of a server process. `onBreak` is called once if stdin closes before `close` was called. */
export function childInput(stdin: Writable, onBreak: () => void): ChildInput {
  let open = true;
  let waiting: (() => void) | undefined;
  const written = (): void => {
    const done = waiting;
    waiting = undefined;
    done?.();
  };
  // Node closes the stdin of a process that has exited, so a pending write always completes.
  const onClose = (): void => {
    const broke = open;
    open = false;
    written();
    if (broke) onBreak();
  };
  const close = (): void => {
    open = false;
    // End-of-file would not get past data that the process does not read, so the pipe is closed instead.
    if (stdin.writableLength > 0) stdin.destroy();
    else stdin.end();
    written();
  };
  stdin.on('error', onClose).on('close', onClose);
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, encoding, done) {
      if (!open) return done();
      waiting = done;
      stdin.write(chunk, encoding, written);
    },
    final(done) {
      close();
      done();
    },
  });
  return { stream, close };
}
