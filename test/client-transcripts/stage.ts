/** The server's end of a connection, for a transcript to speak from: what the client sends is kept, in order. */

import type { Transport } from 'mcpp';
import type { SchemaRevision } from '../oracle/definitions.ts';
import { Script, type Sent } from '../script.ts';
import { type Entry, Wire } from '../transcripts/wire.ts';
import { Queue } from './patience.ts';

/** A message of the client's, with what is wrong with it. */
interface Heard {
  readonly message: unknown;
  readonly fault: string | undefined;
}

/** What a client connects to; once more after the connection was lost. */
export class Stage {
  readonly #revision: SchemaRevision;
  readonly #own: ReadonlySet<string>;
  readonly #heard: Queue<Heard>;
  readonly #wires: Wire[] = [];
  #script: Script | undefined;

  /** `own` are the methods that are not the protocol's. */
  constructor(revision: SchemaRevision, own: ReadonlySet<string>, patience: number) {
    this.#revision = revision;
    this.#own = own;
    this.#heard = new Queue(patience);
  }

  /** Everything that went over the wire, on all connections. */
  get entries(): readonly Entry[] {
    return this.#wires.flatMap((wire) => wire.entries);
  }

  async connectInProcess(): Promise<Transport> {
    const script = new Script();
    const wire = new Wire(this.#revision, this.#own);
    const ids = new Set<unknown>();
    script.onSend = (message) => {
      const fault = wire.take('client', message) ?? idFault(message, ids);
      this.#heard.put({ message, fault });
    };
    this.#wires.push(wire);
    this.#script = script;
    return script;
  }

  /** The client's next message. */
  async next(): Promise<unknown> {
    const { message, fault } = await this.#heard.next('the client says nothing');
    if (fault) throw new Error(`the client's message breaks the protocol: ${fault}\n${JSON.stringify(message)}`);
    return message;
  }

  /** Throws if the client has said anything more. */
  expectSilence(): Promise<void> {
    return this.#heard.expectEmpty('the client says what it should not');
  }

  /** Says something to the client; `isWrong` if the schema must refuse it. */
  say(message: unknown, isWrong = false): void {
    const fault = this.#wires.at(-1)?.take('server', message);
    if (isWrong && !fault) throw new Error('the line is marked as wrong, but the schema has nothing against it');
    if (!isWrong && fault) throw new Error(`the server's message breaks the schema: ${fault}`);
    if (!this.#script?.connected) throw new Error('there is no connection to speak on');
    this.#script.say(message);
  }

  /** Ends the connection. */
  async hangUp(): Promise<void> {
    await this.#script?.disconnect();
  }

  /** True while there is a connection. */
  get isConnected(): boolean {
    return this.#script?.connected === true;
  }
}

// Every request is a new one, also one that says the same again.
function idFault({ id, method }: Sent, ids: Set<unknown>): string | undefined {
  if (method === undefined || id === undefined) return undefined;
  if (ids.has(id)) return `the id ${JSON.stringify(id)} was used before`;
  ids.add(id);
  return undefined;
}
