/** A program's stdin that can break without ending the connection: why it broke is told by how the program ends. */

import { Writable } from 'node:stream';

/** What is written to a program. */
export interface ChildInput {
  /** Takes everything; what the program cannot get any more is dropped. */
  readonly stream: Writable;
  /** The program sees the end of its input. */
  close(): void;
}

/** Wraps a stdin. `onBreak` is called once, when nothing can be written any more. */
export function childInput(stdin: Writable, onBreak: () => void): ChildInput {
  let open = true;
  let waiting: (() => void) | undefined;
  const written = (): void => {
    const done = waiting;
    waiting = undefined;
    done?.();
  };
  // Node closes the stdin of a program that is gone, so nobody waits for ever for that to read.
  const onClose = (): void => {
    const broke = open;
    open = false;
    written();
    if (broke) onBreak();
  };
  const close = (): void => {
    open = false;
    // Behind what it does not read the end would never come.
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
