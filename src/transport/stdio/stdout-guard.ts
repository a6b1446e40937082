/** Keeps stdout for the protocol: what anybody else prints there while a server runs lands on stderr. */

import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The way to the real stdout, and back to normal. */
export interface StdoutGuard {
  /** Stdout as the protocol sees it. */
  readonly output: Writable;
  /** Puts everything back. Errors of the two streams stay ignored. */
  release(): void;
}

// A client that reads no stderr must not make a server that prints a lot grow without end.
const MAX_UNREAD = 1024 * 1024;

/**
 * Turns `console.log` and all other users of `stdout.write` to stderr, and says so once with the place it came from.
 * What goes past the stream, like a child process that inherits the descriptor, cannot be caught here.
 */
export function guardStdout(stdout: Writable = process.stdout, stderr: Writable = process.stderr): StdoutGuard {
  const original = Object.getOwnPropertyDescriptor(stdout, 'write');
  const write = stdout.write.bind(stdout) as Write;
  let hinted = false;

  const hintOnce = (callee: Function): void => {
    if (hinted) return;
    hinted = true;
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
    // False would make the caller wait for a drain of stdout, which may never come.
    return true;
  };

  Object.defineProperty(stdout, 'write', { value: redirect, configurable: true, writable: true });
  const originalEnd = Object.getOwnPropertyDescriptor(stdout, 'end');
  // Whoever ends stdout would end the connection; their last words are redirected like the others.
  const end = (...words: (Uint8Array | string | (() => void))[]): Writable => {
    hintOnce(end);
    const [chunk, ...rest] = words;
    if (typeof chunk === 'function') process.nextTick(chunk);
    else if (chunk !== undefined && chunk !== null) redirect(chunk, ...(rest as BufferEncoding[]));
    return stdout;
  };
  Object.defineProperty(stdout, 'end', { value: end, configurable: true, writable: true });
  // For good: a process that lives on after its client is gone may print, and nobody reads it.
  ignoreErrors(stdout);
  ignoreErrors(stderr);

  return {
    output: withWrite(stdout, write),
    release() {
      // Somebody may have put their own on top of ours; theirs is not ours to take away.
      if (stdout.write === redirect) restore(stdout, 'write', original);
      if ((stdout.end as unknown) === end) restore(stdout, 'end', originalEnd);
    },
  };
}

function restore(stream: Writable, name: string, original: PropertyDescriptor | undefined): void {
  if (original) Object.defineProperty(stream, name, original);
  else Reflect.deleteProperty(stream, name);
}

type Callback = (error?: Error | null) => void;
type Write = (chunk: Uint8Array | string, ...rest: (BufferEncoding | Callback)[]) => boolean;

// The same stream with another `write`: its events, its state and its buffer stay one.
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

/** Where the call of `callee` stands in the user's code, as `file:line`. */
function placeOf(callee: Function): string {
  const at: { stack?: unknown } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  Error.captureStackTrace(at, callee);
  Error.stackTraceLimit = limit;
  // Not a string where somebody formats stack traces their own way.
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
