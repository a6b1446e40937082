/** A server in a process of its own, as a client sees it. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** What `fixtures/server.mjs` does besides serving. */
export interface Habits {
  readonly timer?: boolean;
  readonly socket?: boolean;
  readonly onClose?: 'hang' | 'throw';
  readonly options?: { readonly exit?: boolean; readonly maxLineLength?: number };
}

export interface Answer {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

export const initialize: string =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},' +
  '"clientInfo":{"name":"t","version":"1"}}}\n';

export const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}.mjs`, import.meta.url));

/** A call of a tool as one line. */
export function call(id: string | number, name: string, args: object = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;
}

export class ServerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves with the exit code, or the signal that ended the process. */
  readonly exit: Promise<number | string>;
  stderr = '';
  #lines: AsyncIterator<string> | undefined;

  constructor(habits: Habits = {}) {
    this.child = spawn(process.execPath, [fixture('server'), JSON.stringify(habits)], { stdio: 'pipe' });
    this.exit = once(this.child, 'exit').then(([code, signal]) => code ?? signal);
    this.child.stderr.on('data', (text) => {
      this.stderr += text;
    });
    // A peer that is gone breaks the pipe; each test says what it expects of that.
    this.child.stdin.on('error', () => {});
  }

  /** A server that answered `initialize`. */
  static async start(habits: Habits = {}): Promise<ServerProcess> {
    const server = new ServerProcess(habits);
    server.write(initialize);
    await server.next();
    return server;
  }

  write(bytes: string | Uint8Array): void {
    this.child.stdin.write(bytes);
  }

  /** The next line of stdout. Nothing is read from there before somebody asks. */
  async line(): Promise<string | undefined> {
    this.#lines ??= linesOf(this.child.stdout);
    const { value, done } = await this.#lines.next();
    return done ? undefined : value;
  }

  /** The next message. Everything on stdout must be JSON-RPC, so what is not fails the test. */
  async next(): Promise<Answer> {
    const line = await this.line();
    if (line === undefined) throw new Error(`The server ended. It said: ${this.stderr}`);
    const message: Answer = JSON.parse(line);
    if (message.jsonrpc !== '2.0') throw new Error(`Not JSON-RPC: ${line.slice(0, 200)}`);
    return message;
  }

  /** All messages still to come. */
  async rest(): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let line = await this.line(); line !== undefined; line = await this.line()) answers.push(JSON.parse(line));
    return answers;
  }

  /** Resolves when stderr has this text. */
  async said(text: string): Promise<void> {
    while (!this.stderr.includes(text)) await once(this.child.stderr, 'data');
  }

  /** The milliseconds a good call takes; its answer must be the next line. */
  async alive(): Promise<number> {
    const start = performance.now();
    this.write(call('alive', 'echo', { text: 'yes' }));
    const answer = await this.next();
    if (answer.id !== 'alive' || textOf(answer) !== 'yes') throw new Error(`Unexpected: ${JSON.stringify(answer)}`);
    return performance.now() - start;
  }

  /** Closes the server's input and gives how it ended and after how many milliseconds. */
  async end(): Promise<{ code: number | string; ms: number }> {
    return this.endsAfter(() => this.child.stdin.end());
  }

  async endsAfter(event: () => void): Promise<{ code: number | string; ms: number }> {
    const start = performance.now();
    event();
    const code = await this.exit;
    return { code, ms: performance.now() - start };
  }
}

export function textOf(answer: Answer): string | undefined {
  return answer.result?.content?.[0]?.text;
}

// Not by readline: it takes more than a line feed for the end of a line.
async function* linesOf(stream: Readable): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
