/** Requests that have an exchange of their own, as over HTTP: each can be hung up, and ends by itself. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Id, Request } from '../jsonrpc/message.ts';
import type { PendingRequestDetails, PendingRequests } from '../jsonrpc/pending-requests.ts';
import type { Transport } from '../jsonrpc/transport.ts';

const MAX_SPARE = 100;

/** The exchanges of one transport that are not over. */
export class Exchanges {
  readonly #transport: Transport;
  readonly #waiting: PendingRequests;
  readonly #open = new Map<Id, AbortController>();
  /** Those of exchanges that are over: hardly any is ever used, and making one takes as long as sending a request. */
  readonly #spare: AbortController[] = [];

  /** `waiting` are the calls that wait for answers. */
  constructor(transport: Transport, waiting: PendingRequests) {
    this.#transport = transport;
    this.#waiting = waiting;
  }

  /** Opens one. A call that still waits when it ends is told. */
  send(request: Request, { headers, repeatable }: PendingRequestDetails): void | Promise<void> {
    const { id } = request;
    const abort = this.#spare.pop() ?? new AbortController();
    this.#open.set(id, abort);
    const onEnd = (cause?: Error): void => {
      if (this.#open.delete(id) && this.#spare.length < MAX_SPARE) this.#spare.push(abort);
      if (this.#waiting.has(id)) this.#waiting.fail(id, cause ?? unanswered());
    };
    try {
      return this.#transport.send(request, { headers, repeatable, signal: abort.signal, onEnd });
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  /** Ends one. */
  hangUp(id: Id): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  /** The transport is gone, and all of them with it. */
  clear(): void {
    this.#open.clear();
  }
}

function unanswered(): ConnectionError {
  return new ConnectionError('closed', 'The server ended the exchange without an answer');
}
