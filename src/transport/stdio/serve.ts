/** Serves the process that started this one, over standard input and output, for as long as it is there. */

import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';
import { checkOptions, type KeysOf } from '../../jsonrpc/known-options.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { engineLoading, loadEngine } from '../../schema/check/engine-loader.ts';
import { serveConnection } from '../../server/connection/connection.ts';
import type { ServedConnection, TransportConnection } from '../../server/connection/served-connection.ts';
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
   * The process exits when serving ends: when the client goes away, on SIGTERM, SIGINT or SIGHUP, or by `close()`.
   * With false it lives on, and signals are left to whoever owns the process. Default: true.
   */
  readonly exit?: boolean | undefined;
  /** Called once after the last answer was sent and before the exit. It has a second, less if calls were running. */
  readonly onClose?: (() => void | Promise<void>) | undefined;
  /** Bytes one incoming line may have. Default: 10 MiB. */
  readonly maxLineLength?: number | undefined;
  /** Default: `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Default: `process.stdout`, where then nobody else can print: `console.log` goes to stderr. */
  readonly output?: Writable | undefined;
}

/** Time running calls have to answer when the client goes away. */
const GRACE_MS = 1000;
/** Time the `onClose` hook has. */
const HOOK_MS = 1000;
/** Time between the event that ends a process and its exit, whatever hangs. */
const DEADLINE_MS = 1800;
/** Time the last words on stderr have to leave. */
const STDERR_MS = 100;
/** Time after which the engine for raw schemas is loaded, if nothing has needed it yet: not while the program starts. */
const ENGINE_MS = 1000;

const KEYS: KeysOf<StdioOptions> = { exit: true, onClose: true, maxLineLength: true, input: true, output: true };

/** The streams that are being served. */
const taken = new WeakSet<Readable | Writable>();

// Two servers on the same streams would both answer every request.
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

/** Serves one client over the standard streams. The promise resolves when it listens. */
export async function serveStdio(server: McpServer, options: StdioOptions = {}): Promise<ServedConnection> {
  const internals = internalsOf('serveStdio', server);
  checkOptions('serveStdio', options, KEYS);
  const { exit = true, input = process.stdin, maxLineLength } = options;
  const giveBack = takeStreams(input, options.output ?? process.stdout);
  const guard = options.output ? undefined : guardStdout();
  const output = options.output ?? guard?.output ?? process.stdout;
  const deadline = new Deadline(exit);
  const onEnd = (): void => end('client-gone');
  const transport = new StreamTransport(input, output, { maxLineLength, keepOpen: true, refusesNoise: true, onEnd });

  // The input can end before this is through.
  const started = start(internals, transport, [input, output]);
  const end = (reason: EndReason | 'client-gone'): void => {
    deadline.start();
    // Nobody would read what an orphan answers.
    const graceMs = reason === 'orphaned' ? 0 : GRACE_MS;
    started.then((serving) => serving.close({ graceMs })).catch(() => {});
  };
  const unwatch = exit ? onProcessEnd(end) : () => {};
  const letGo = (): void => {
    giveBack();
    unwatch();
    guard?.release();
    deadline.clear();
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
    deadline.start();
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

// No message is read before the engine for raw schemas is loaded, if a tool needs it. `connect` detects a stream that failed
// before; its error event must not end the process.
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

/** Ends the process if ending it in order takes too long. */
class Deadline {
  readonly #exits: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(exits: boolean) {
    this.#exits = exits;
  }

  start(): void {
    if (this.#exits) this.#timer ??= setTimeout(() => process.exit(), DEADLINE_MS);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

async function runHook(hook: StdioOptions['onClose']): Promise<void> {
  try {
    await withTimeout((async () => hook?.())(), HOOK_MS);
  } catch (error) {
    console.error('mcpp: onClose failed:', error);
  }
}

// On a pipe, what is not written when the process exits is lost.
async function lastWords(): Promise<void> {
  if (process.stderr.writableLength === 0) return;
  const written = new Promise((resolve) => process.stderr.write('', resolve));
  await withTimeout(written, STDERR_MS);
}
