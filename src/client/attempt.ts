/** One attempt to connect to a server. If the attempt fails, every transport that it opened is closed. */

import type { ConnectionError } from '../jsonrpc/errors.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Conversation } from './conversation.ts';
import type { Dialer, DialHost } from './dialer.ts';

export class Attempt {
  readonly #dialer: Dialer;
  readonly #host: DialHost;
  readonly #converse: (transport: Transport) => Conversation;
  readonly #over = new AbortController();
  readonly #opened = new Set<Conversation>();
  #transport: Transport | undefined;

  constructor(dialer: Dialer, host: DialHost, converse: (transport: Transport) => Conversation) {
    this.#dialer = dialer;
    this.#host = host;
    this.#converse = converse;
  }

  open(): Promise<Conversation> {
    return this.#open(() => this.#dialer.dial(this.#host));
  }

  /** Opens a connection over HTTP+SSE, the transport of 2024-11-05. Undefined if the target is not a URL. */
  get openOld(): (() => Promise<Conversation>) | undefined {
    const dialOld = this.#dialer.dialOld?.bind(this.#dialer);
    return dialOld && (() => this.#open(() => dialOld(this.#host)));
  }

  async #open(dial: () => Promise<Transport>): Promise<Conversation> {
    const over = this.#over.signal;
    over.throwIfAborted();
    const transport = await dial();
    if (over.aborted) await transport.disconnect();
    over.throwIfAborted();
    this.#transport = transport;
    const conversation = this.#converse(transport);
    this.#opened.add(conversation);
    await conversation.connect();
    return conversation;
  }

  /** Last stderr output of the server process. Empty if the transport started no process. */
  get stderr(): string {
    return this.#transport?.stderr ?? '';
  }

  /** Ends the attempt: later `open` calls reject. Resolves when all connections of the attempt are closed. */
  async giveUp(cause: ConnectionError): Promise<void> {
    this.#over.abort(cause);
    await Promise.all([...this.#opened].map((one) => one.close(cause)));
  }
}
