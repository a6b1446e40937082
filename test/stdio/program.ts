/** A server in a process of its own, started by the transport of a client. */

import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ChildOptions, Command } from '../../src/client/command.ts';
import type { ConnectionError } from '../../src/jsonrpc/errors.ts';
import type { Payload } from '../../src/jsonrpc/json/parse-message.ts';
import { isResponse, type Message, type Params } from '../../src/jsonrpc/message.ts';
import type { Receiver, Transport } from '../../src/jsonrpc/transport.ts';
import { childTransport } from '../../src/transport/stdio/child.ts';

/** What `fixtures/program.mjs` does besides answering. */
export interface Habits {
  readonly ignores?: readonly ('eof' | 'SIGTERM')[];
  readonly stderr?: string;
  readonly exit?: number;
}

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}.mjs`, import.meta.url));

/** The command that runs `fixtures/program.mjs`. */
export function program(habits: Habits = {}): Command {
  return { command: process.execPath, args: [fixture('program'), JSON.stringify(habits)] };
}

/** A connection that remembers what it was told. */
export class Program implements Receiver {
  readonly transport: Transport;
  readonly messages: Payload[] = [];
  readonly errors: Error[] = [];
  readonly closes: (Error | undefined)[] = [];
  /** When the end was told. */
  closedAt = 0;
  /** Resolves with the cause when the end is told. */
  readonly closed: Promise<ConnectionError | undefined>;
  readonly #waiting = new Map<unknown, (result: Record<string, unknown>) => void>();
  #close: (cause: ConnectionError | undefined) => void = () => {};
  #id = 0;

  constructor(command: Command, options?: ChildOptions) {
    this.transport = childTransport(command, options);
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  /** One that is connected. */
  static async start(habits?: Habits, options: ChildOptions = { graceMs: 150 }): Promise<Program> {
    const server = new Program(program(habits), options);
    await server.transport.connect(server);
    return server;
  }

  call(method: string, params: Params = {}): Promise<Record<string, unknown>> {
    const id = this.#id++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      void this.transport.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** Calls without waiting for an answer. */
  tell(method: string, params: Params = {}): void {
    void this.transport.send({ jsonrpc: '2.0', method, params });
  }

  async pid(): Promise<number> {
    return Number((await this.call('facts'))['pid']);
  }

  /** Has the server start a process that stays. */
  async starts(what: { holds?: boolean; detached?: boolean; ignores?: readonly string[] } = {}): Promise<number> {
    return Number((await this.call('start', what))['pid']);
  }

  onMessage(payload: Payload): void {
    this.messages.push(payload);
    const message = payload as Message;
    if (payload instanceof Error || !isResponse(message) || !('result' in message)) return;
    this.#waiting.get(message.id)?.(message.result as Record<string, unknown>);
  }

  onError(error: Error): void {
    this.errors.push(error);
  }

  onClose(cause?: Error): void {
    this.closedAt = performance.now();
    this.closes.push(cause);
    this.#close(cause as ConnectionError | undefined);
  }
}

/** False also for one that is dead and that its new parent has not yet collected. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) [ZX] \d/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return process.platform !== 'linux';
  }
}

/** Resolves when a fact of another process holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`Not within 10 s: ${what}`);
    await pause(10);
  }
}
