/** `serveStdio`: serves the parent process over stdin and stdout. */

import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';
import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { engineLoading, loadEngine } from '../../schema/check/engine-loader.ts';
import { serveConnection } from '../../server/connection/connection.ts';
import type { ServedConnection, TransportConnection } from '../../server/connection/connection-options.ts';
import { internalsOf, type ServerInternals } from '../../server/internals.ts';
import type { McpServer } from '../../server/server.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { type EndReason, onProcessEnd } from './process-end.ts';
import { guardStdout } from './stdout-guard.ts';
import { StreamTransport } from './stream-transport.ts';
import { welcome } from './welcome.ts';

/** Options of `serveStdio`. */
export interface StdioOptions {
  /**
   * If true, the process exits when serving ends: when the client closes stdin, on SIGTERM, SIGINT or SIGHUP, when the parent
   * process dies, or after `close()`. If false, the process continues, and signals are not handled. Default: true.
   */
  readonly exit?: boolean | undefined;
  /** Called once after the last response and before the exit. Timeout: 1 s, less if calls were running. */
  readonly onClose?: (() => void | Promise<void>) | undefined;
  /** Maximum length of a received line, in bytes. Default: 10 MiB. */
  readonly maxLineLength?: number | undefined;
  /** Stream to read from. Default: `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Stream to write to. Default: `process.stdout`; other output to it, such as `console.log`, is then redirected to stderr. */
  readonly output?: Writable | undefined;
}

/** Time for running calls to finish when serving ends, in milliseconds. */
const GRACE_MS = 1000;
/** Timeout of the option `onClose`, in milliseconds. */
const HOOK_MS = 1000;
/** Maximum time from the event that ends the process to its exit, in milliseconds. */
const DEADLINE_MS = 1800;
/** Maximum time to write the last output to stderr before the exit, in milliseconds. */
const STDERR_MS = 100;
/** Delay after which the JSON Schema engine is loaded if it was not needed before, in ms. The start is faster without it. */
const ENGINE_MS = 1000;

const KEYS: KeysOf<StdioOptions> = { exit: true, onClose: true, maxLineLength: true, input: true, output: true };

/** Streams in use by a running `serveStdio`. */
const taken = new WeakSet<Readable | Writable>();

// Throws if a stream is in use: two servers on one stream would both answer every request.
function takeStreams(...streams: readonly (Readable | Writable)[]): () => void {
  if (streams.some((stream) => taken.has(stream))) {
    throw new Error(
      'serveStdio: these streams are being served already. A process has one standard input: register all tools on one ' +
        'server, or give "input" and "output"',
    );
  }
  for (const stream of streams) taken.add(stream);
  return () => {
    for (const stream of streams) taken.delete(stream);
  };
}

/** Serves one client over stdin and stdout. Resolves when the server reads messages. */
export async function serveStdio(server: McpServer, options: StdioOptions = {}): Promise<ServedConnection> {
  const internals = internalsOf('serveStdio', server);
  checkOptions('serveStdio', options, KEYS);
  const { exit = true, input = process.stdin, maxLineLength } = options;
  const giveBack = takeStreams(input, options.output ?? process.stdout);
  const guard = options.output ? undefined : guardStdout();
  const output = options.output ?? guard?.output ?? process.stdout;
  let deadline: NodeJS.Timeout | undefined;
  const startDeadline = (): void => {
    if (exit) deadline ??= setTimeout(() => process.exit(), DEADLINE_MS);
  };
  const onEnd = (): void => end('client-gone');
  const transport = new StreamTransport(input, output, { maxLineLength, keepOpen: true, refusesNoise: true, onEnd });

  // The input can end while `start` runs, so `end` waits for its promise.
  const started = start(internals, transport, [input, output]);
  const end = (reason: EndReason | 'client-gone'): void => {
    startDeadline();
    // The parent process is dead: no process would read the responses.
    const graceMs = reason === 'orphaned' ? 0 : GRACE_MS;
    started.then((serving) => serving.close({ graceMs })).catch(() => {});
  };
  const unwatch = exit ? onProcessEnd(end) : () => {};
  const letGo = (): void => {
    giveBack();
    unwatch();
    guard?.release();
    clearTimeout(deadline);
  };

  let serving: ServedConnection;
  try {
    serving = await started;
  } catch (error) {
    letGo();
    throw error;
  }

  const engine = setTimeout(() => loadEngine()?.catch(() => {}), ENGINE_MS).unref();
  const closed = serving.closed.then(async () => {
    clearTimeout(engine);
    startDeadline();
    await runHook(options.onClose);
    if (exit) await lastWords();
    letGo();
    if (exit) process.exit();
  });
  if ('isTTY' in input && input.isTTY) welcome(server.info);
  return {
    closed,
    close: async (how) => {
      await serving.close(how);
      await closed;
    },
  };
}

// Waits for the JSON Schema engine, if it is loading, before messages are read. Stream errors are ignored until `connect`,
// which detects a broken stream: an `error` event without a listener would end the process.
async function start(
  server: ServerInternals,
  transport: Transport,
  streams: readonly EventEmitter[],
): Promise<TransportConnection> {
  const ignore = (): void => {};
  for (const stream of streams) stream.on('error', ignore);
  await engineLoading();
  const connection = await serveConnection(server, transport, { trusted: true });
  for (const stream of streams) stream.off('error', ignore);
  return connection;
}

async function runHook(hook: StdioOptions['onClose']): Promise<void> {
  try {
    await withTimeout((async () => hook?.())(), HOOK_MS);
  } catch (error) {
    console.error('mcpp: onClose failed:', error);
  }
}

// On a pipe, output that is not written when the process exits is lost.
async function lastWords(): Promise<void> {
  if (process.stderr.writableLength === 0) return;
  const written = new Promise((resolve) => process.stderr.write('', resolve));
  await withTimeout(written, STDERR_MS);
}
