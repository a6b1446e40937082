/** Reserves stdout for the protocol: other output of the process to stdout is redirected to stderr. */

import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface StdoutGuard {
  /** Writes to the original stdout. */
  readonly output: Writable;
  /** Ends the redirection. Errors of stdout and stderr are still ignored. */
  release(): void;
}

// Maximum bytes that wait if stderr is not read. More output is dropped, to limit memory.
const MAX_UNREAD = 1024 * 1024;

/**
 * Redirects `console.log` and all other writes to `process.stdout` to stderr, and prints one hint with the place of the first
 * one. Output that bypasses the stream is not redirected, such as that of a child process which inherits stdout.
 */
export function guardStdout(stdout: Writable = process.stdout, stderr: Writable = process.stderr): StdoutGuard {
  const write = stdout.write.bind(stdout) as Write;
  let hasHinted = false;
  const hintOnce = (callee: Function): void => {
    if (hasHinted) return;
    hasHinted = true;
    stderr.write(hint(placeOf(callee)));
  };
  const redirect: Write = (chunk, ...rest) => {
    hintOnce(redirect);
    if (stderr.writableLength < MAX_UNREAD) {
      (stderr.write as Write).call(stderr, chunk, ...rest);
    } else {
      const done = rest.find((argument) => typeof argument === 'function');
      if (done) process.nextTick(done);
    }
    // With false, the caller would wait for a `drain` event, which stdout does not emit for redirected output.
    return true;
  };
  // `stdout.end()` would end the connection. Its last chunk is redirected.
  const end = (...args: (Uint8Array | string | (() => void))[]): Writable => {
    hintOnce(end);
    const [chunk, ...rest] = args;
    if (typeof chunk === 'function') process.nextTick(chunk);
    else if (chunk !== undefined && chunk !== null) redirect(chunk, ...(rest as BufferEncoding[]));
    return stdout;
  };
  const restore = [replace(stdout, 'write', redirect), replace(stdout, 'end', end)];
  // The listeners stay after `release`, because the process can print after its output was closed.
  ignoreErrors(stdout);
  ignoreErrors(stderr);
  return {
    output: withWrite(stdout, write),
    release() {
      for (const each of restore) each();
    },
  };
}

// Replaces a method, and returns a function that restores it, unless other code has replaced it meanwhile.
function replace(stream: Writable, name: 'write' | 'end', value: Function): () => void {
  const original = Object.getOwnPropertyDescriptor(stream, name);
  Object.defineProperty(stream, name, { value, configurable: true, writable: true });
  return () => {
    if ((stream[name] as Function) !== value) return;
    if (original) Object.defineProperty(stream, name, original);
    else Reflect.deleteProperty(stream, name);
  };
}

type Callback = (error?: Error | null) => void;
type Write = (chunk: Uint8Array | string, ...rest: (BufferEncoding | Callback)[]) => boolean;

// Returns the same stream with another `write`. Events, state and buffer stay those of the stream.
function withWrite(stream: Writable, write: Write): Writable {
  return new Proxy(stream, {
    get(target, key) {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function hint(place: string): string {
  return `mcpp: stdout carries the protocol, so what ${place} printed there goes to stderr. Use console.error or ctx.log.\n`;
}

/** Returns the place of the call of `callee` in the application's code, as `file:line`. */
function placeOf(callee: Function): string {
  const at: { stack?: unknown } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  Error.captureStackTrace(at, callee);
  Error.stackTraceLimit = limit;
  // `stack` is not a string if the application sets `Error.prepareStackTrace`.
  if (typeof at.stack !== 'string') return 'this program';
  for (const frame of at.stack.split('\n')) {
    const place = /\(?((?:file:|\/|[A-Za-z]:\\)[^()]*:\d+):\d+\)?$/.exec(frame)?.[1];
    if (place && !frame.includes('node:')) return place.startsWith('file:') ? pathOf(place) : place;
  }
  return 'this program';
}

function pathOf(place: string): string {
  const colon = place.lastIndexOf(':');
  return fileURLToPath(place.slice(0, colon)) + place.slice(colon);
}

function ignoreErrors(stream: Writable): void {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
}

function ignore(): void {}
