/** Plays a conversation over a connection: sends what the client says, compares what the server says. */

import type { SchemaRevision } from '../oracle/definitions.ts';
import { type Caller, opening, spread } from './fragments.ts';
import { type Captured, difference, filledIn } from './match.ts';
import type { Conversation, Step } from './parse.ts';
import { type Entry, Wire } from './wire.ts';

/** One connection to a server, in text. */
export interface Connection {
  /** Sends one message, as it is. */
  send(line: string): void | Promise<void>;
  /** The next message of the server's; rejects if none comes. */
  next(): Promise<unknown>;
  close(): Promise<void>;
}

/** A way to reach the servers of the transcripts. */
export interface Runner {
  readonly name: string;
  /** A new connection to a new server of this name. */
  open(server: string, revision: SchemaRevision): Promise<Connection>;
}

/** Plays a conversation in one revision. Gives everything that went over the wire; throws at the first difference. */
export async function play(
  conversation: Conversation,
  revision: SchemaRevision,
  runner: Runner,
  entries: (entries: readonly Entry[]) => void = () => {},
): Promise<void> {
  const connection = await runner.open(conversation.server, revision);
  const wire = new Wire(revision, conversation.own);
  const player = new Player(conversation, revision, connection, wire);
  try {
    for (const step of conversation.steps) {
      if (step.revisions.includes(revision)) await player.take(step);
    }
    await player.end();
  } catch (error) {
    const { file } = conversation;
    throw new Error(`${file}:${player.line} [${revision}, ${runner.name}]: ${(error as Error).message}`);
  } finally {
    entries(wire.entries);
    await connection.close();
  }
}

class Player {
  line: number;
  readonly #connection: Connection;
  readonly #wire: Wire;
  readonly #captured: Captured = new Map();
  #caller: Caller;
  #waiting: { step: Step; expected: unknown }[] = [];

  constructor(conversation: Conversation, revision: SchemaRevision, connection: Connection, wire: Wire) {
    this.line = conversation.line;
    this.#connection = connection;
    this.#wire = wire;
    this.#caller = { revision, capabilities: {} };
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'expect' && step.inAnyOrder) {
      this.#waiting.push({ step, expected: this.#read(step.text) });
      return;
    }
    await this.#settle();
    this.line = step.line;
    if (step.kind === 'open') await this.#open(step.text);
    else if (step.kind === 'send') await this.#send(step.text, step.isWrong);
    else this.#compare(this.#read(step.text), await this.#receive());
  }

  /** Nothing may come that was not expected: the answer to one more request is the next message. */
  async end(): Promise<void> {
    await this.#settle();
    const isStateless = this.#caller.revision === '2026-07-28';
    const method = isStateless ? 'server/discover' : 'ping';
    const id = 'end of the conversation';
    const params = isStateless ? { _meta: { '...': 'caller' } } : {};
    await this.#send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), false);
    const answer = await this.#receive();
    if ((answer as { id?: unknown }).id !== id) throw new Error(`not expected: ${JSON.stringify(answer)}`);
  }

  // Stateful revisions shake hands; stateless ones say the same in each request.
  async #open(text: string): Promise<void> {
    const capabilities: unknown = text === '' ? {} : JSON.parse(text);
    this.#caller = { ...this.#caller, capabilities };
    if (this.#caller.revision === '2026-07-28') return;
    await this.#send(
      JSON.stringify({ jsonrpc: '2.0', id: 'open', method: 'initialize', params: opening(this.#caller) }),
      false,
    );
    this.#compare({ jsonrpc: '2.0', id: 'open', result: '<any>' }, await this.#receive());
    await this.#send('{"jsonrpc":"2.0","method":"notifications/initialized"}', false);
  }

  async #send(text: string, isWrong: boolean): Promise<void> {
    const value = parsed(this.#revised(text));
    const message = value && filledIn(spread(value.json, this.#caller), this.#captured);
    const fault = value ? this.#wire.take('client', message) : 'not JSON';
    if (isWrong && !fault) throw new Error('the line is marked as wrong, but the schema has nothing against it');
    if (!isWrong && fault) throw new Error(`the client's message breaks the schema: ${fault}`);
    await this.#connection.send(value ? JSON.stringify(message) : text);
  }

  async #receive(): Promise<unknown> {
    const message = await this.#connection.next();
    const fault = this.#wire.take('server', message);
    if (fault) throw new Error(`the server's message breaks the schema: ${fault}\n${JSON.stringify(message)}`);
    return message;
  }

  async #settle(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.line = this.#waiting[0]?.step.line ?? this.line;
      const message = await this.#receive();
      const differences = this.#waiting.map(({ expected }) => difference(expected, message, new Map(this.#captured)));
      const found = differences.indexOf(undefined);
      if (found < 0) throw new Error(`none of the expected messages fits:\n${differences.join('\n')}`);
      const [fitting] = this.#waiting.splice(found, 1);
      this.#compare(fitting?.expected, message);
    }
  }

  #compare(expected: unknown, actual: unknown): void {
    const found = difference(expected, actual, this.#captured);
    if (found !== undefined) throw new Error(`${found}\nthe whole message: ${JSON.stringify(actual)}`);
  }

  #read(text: string): unknown {
    return spread(JSON.parse(this.#revised(text)), this.#caller);
  }

  #revised(text: string): string {
    return text.replaceAll('{{revision}}', this.#caller.revision);
  }
}

function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
