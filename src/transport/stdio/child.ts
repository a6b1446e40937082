/** `childTransport`: the client's stdio transport. Starts the server process, and ends it with the connection. */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { type ChildOptions, type Command, type Invocation, nameOf } from '../../client/command.ts';
import { ConnectionError, toError } from '../../jsonrpc/errors.ts';
import { receivedLimits } from '../../jsonrpc/json/message-limits.ts';
import type { Payload } from '../../jsonrpc/json/parse-message.ts';
import type { Message } from '../../jsonrpc/message.ts';
import type { Receiver, Transport } from '../../jsonrpc/transport.ts';
import { type ChildInput, childInput } from './child-input.ts';
import { type HostGuard, startGuard } from './host-guard.ts';
import { describeEnd, drained, type Loss } from './last-words.ts';
import { MARK } from './process-list.ts';
import { endTree, exitOf, hasExited } from './process-tree.ts';
import { failure, failureOf, invocationOf, start } from './spawn.ts';
import { readStderr, type Tail } from './stderr-tail.ts';
import { StreamTransport } from './stream-transport.ts';

/** Creates a transport that starts a program on `connect`, and ends the program and its descendants on `disconnect`. */
export function childTransport(command: Command, options: ChildOptions = {}): Transport {
  return new ChildTransport(command, options);
}

const GRACE_MS = 2000;
const LONGEST_GRACE_MS = 60 * 60_000;
const MAX_LINE_LENGTH = 16 * 1024 * 1024;
// Maximum wait for the exit code, in milliseconds: pipes break shortly before the exit code is known.
const EXIT_MS = 200;
// Maximum time to read the last output of an exited process, in ms. Other processes can keep its pipes open and write to them.
const DRAIN_MS = 250;
const GAVE_UP = 'The transport was disconnected before it was connected';

interface Running {
  readonly name: string;
  /** Value of `MCPP_TREE`, the environment variable by which descendants of the process are found. */
  readonly mark: string | undefined;
  readonly child: ChildProcessWithoutNullStreams;
  readonly guard: HostGuard;
  readonly input: ChildInput;
  readonly stderr: Tail;
  readonly stream: StreamTransport;
}

class ChildTransport implements Transport {
  readonly cancelsBy = 'notification';
  readonly #command: Command;
  readonly #options: ChildOptions;
  readonly #graceMs: number;
  #state: 'new' | 'starting' | 'open' | 'closed' = 'new';
  #receiver: Receiver | undefined;
  #giveUp: (reason: ConnectionError) => void = () => {};
  #running: Running | undefined;
  #heard = false;
  #opening: Promise<void> | undefined;
  #losing: Promise<void> | undefined;
  #closeTold = false;
  #cause: ConnectionError | undefined;
  #ended: Promise<void> | undefined;

  constructor(command: Command, options: ChildOptions) {
    this.#command = command;
    this.#options = options;
    this.#graceMs = Math.min(Math.max(options.graceMs ?? GRACE_MS, 0), LONGEST_GRACE_MS);
  }

  get connected(): boolean {
    return this.#state === 'open';
  }

  get stderr(): string {
    return this.#running?.stderr.text ?? '';
  }

  async connect(receiver: Receiver): Promise<void> {
    if (this.#state !== 'new') throw new ConnectionError('failed', 'This transport was connected or ended before');
    this.#state = 'starting';
    this.#receiver = receiver;
    this.#opening = this.#start();
    try {
      await this.#opening;
    } catch (error) {
      this.#state = 'closed';
      throw error;
    }
  }

  async #start(): Promise<void> {
    const invocation = invocationOf(this.#command);
    await this.#permission(invocation);
    this.#checkNotClosed();
    const mark = invocation.env[MARK] ?? '';
    const guard = await startGuard(this.#graceMs, mark).catch((error: unknown) => {
      throw failure(error, invocation);
    });
    try {
      this.#checkNotClosed();
      const child = start(invocation);
      if (child.pid === undefined) throw await failureOf(child, invocation);
      guard.watch(child.pid);
      await this.#open(child, guard, invocation);
    } catch (error) {
      await guard.release();
      throw error;
    }
  }

  send(message: Message | readonly Message[]): void | Promise<void> {
    if (this.#state === 'open') return this.#running?.stream.send(message);
    if (this.#state !== 'closed') throw new ConnectionError('not-connected', 'The transport is not connected');
    const { message: why = 'The connection is closed', process } = this.#cause ?? {};
    throw new ConnectionError('closed', why, process && { process });
  }

  async disconnect(): Promise<void> {
    if (this.#state === 'open') this.#end();
    this.#state = 'closed';
    this.#giveUp(new ConnectionError('closed', GAVE_UP));
    await Promise.all([this.#opening?.catch(() => {}), this.#ended, this.#losing]);
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #checkNotClosed(): void {
    if (this.#isClosed()) throw new ConnectionError('closed', GAVE_UP);
  }

  // The promise of `allowCommand` can stay pending forever. `disconnect` rejects the wait through `#giveUp`.
  async #permission(invocation: Invocation): Promise<void> {
    const { allowCommand } = this.#options;
    if (!allowCommand) return;
    const refusal = (cause?: unknown): ConnectionError =>
      new ConnectionError('refused', `"allowCommand" does not allow to start "${nameOf(invocation)}"`, { cause });
    await new Promise<void>((resolve, reject) => {
      this.#giveUp = reject;
      const ask = async (): Promise<boolean> => allowCommand(invocation);
      ask().then(
        (allowed) => (allowed === true ? resolve() : reject(refusal())),
        (error) => reject(refusal(error)),
      );
    });
  }

  // Runs synchronously after the spawn until the listeners are attached, so that no event of the process is missed.
  async #open(child: ChildProcessWithoutNullStreams, guard: HostGuard, invocation: Invocation): Promise<void> {
    const { maxLineLength = MAX_LINE_LENGTH } = this.#options;
    const limits = this.#options.limits ?? receivedLimits(maxLineLength, 'maxLineLength');
    const mark = invocation.env[MARK];
    const onError = (error: Error): void => this.#receiver?.onError(error);
    child.on('error', onError).once('exit', () => this.#lose('exit'));
    const stderr = readStderr(child.stderr, this.#options.stderr ?? 'keep', onError);
    const input = childInput(child.stdin, () => this.#lose('input'));
    const onEnd = (): void => this.#lose('output');
    const stream = new StreamTransport(child.stdout, input.stream, { maxLineLength, limits, alwaysReads: true, onEnd });
    this.#running = { name: nameOf(invocation), mark, child, guard, input, stderr, stream };
    this.#state = 'open';
    await stream.connect({
      onMessage: (payload) => this.#hear(payload),
      onError,
      onClose: (cause) => this.#onStreamClose(cause),
    });
  }

  #hear(payload: Payload): void {
    if (this.#state !== 'open') return;
    this.#heard ||= !(payload instanceof Error);
    this.#receiver?.onMessage(payload);
  }

  // Also called if the stream closes itself, for instance because the process does not read its stdin.
  #onStreamClose(cause: Error | undefined): void {
    if (this.#state === 'open') this.#end();
    this.#tellClose(this.#cause ?? cause);
  }

  #lose(what: Loss): void {
    if (this.#state === 'open' && this.#running) this.#losing ??= this.#tellLoss(what, this.#running);
  }

  // Waits for the exit code and the last output of the process, which explain its end best, and closes the connection.
  async #tellLoss(what: Loss, { name, child, stderr }: Running): Promise<void> {
    await exitOf(child, EXIT_MS);
    if (hasExited(child)) await drained([child.stdout, child.stderr], DRAIN_MS);
    if (this.#isClosed()) return;
    const { exitCode, signalCode: signal } = child;
    const end = { exitCode, signal, stderr: stderr.text };
    this.#cause = describeEnd(name, what, end, this.#heard, stderr.longText);
    this.#end();
    this.#tellClose(this.#cause);
  }

  #end(): void {
    this.#state = 'closed';
    this.#ended ??= this.#endAll();
  }

  async #endAll(): Promise<void> {
    if (!this.#running) return;
    const { name, mark, child, guard, input, stream } = this.#running;
    const left = await endTree(
      child,
      this.#graceMs,
      async () => {
        await stream.disconnect();
        input.close();
      },
      mark,
    );
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    if (!hasExited(child)) child.unref();
    await guard.release();
    if (left.length > 0) {
      const text = `The server "${name}" could not be ended: the system does not let go of process ${left.join(', ')}`;
      this.#receiver?.onError(new ConnectionError('failed', text));
    }
  }

  #tellClose(cause: Error | undefined): void {
    if (this.#closeTold) return;
    this.#closeTold = true;
    try {
      this.#receiver?.onClose(cause);
    } catch (error) {
      this.#receiver?.onError(toError(error, 'The receiver failed'));
    }
  }
}
