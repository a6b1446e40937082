/** One try to get to a server. Whatever it opens is ended if it fails, also what is being opened at that moment. */

import type { ConnectionError } from '../jsonrpc/errors.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Conversation } from './conversation.ts';
import type { Dialer, DialHost } from './dialer.ts';

/** Opens conversations until it is over. */
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

  /** A new conversation, connected. */
  open(): Promise<Conversation> {
    return this.#open(() => this.#dialer.dial(this.#host));
  }

  /** Likewise over the transport of the first revision; undefined if there is no other than that of today. */
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

  /** What the server wrote on stderr, if it is a program. */
  get stderr(): string {
    return this.#transport?.stderr ?? '';
  }

  /** Nothing is opened any more; resolves when what was is gone. */
  async giveUp(cause: ConnectionError): Promise<void> {
    this.#over.abort(cause);
    await Promise.all([...this.#opened].map((one) => one.close(cause)));
  }
}
