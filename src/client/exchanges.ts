/** Exchanges of request-scoped transports such as HTTP: each request can be aborted, and ends or fails by itself. */

import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Id, Request } from '../jsonrpc/message.ts';
import type { PendingRequestDetails, PendingRequests } from '../jsonrpc/pending-requests.ts';
import type { Transport } from '../jsonrpc/transport.ts';

const MAX_SPARE = 100;

export class Exchanges {
  readonly #transport: Transport;
  readonly #waiting: PendingRequests;
  readonly #open = new Map<Id, AbortController>();
  /** Controllers of ended exchanges that were not aborted, for reuse: creating one takes as long as sending a request. */
  readonly #spare: AbortController[] = [];

  constructor(transport: Transport, waiting: PendingRequests) {
    this.#transport = transport;
    this.#waiting = waiting;
  }

  /** Sends a request in a new exchange. If the exchange ends without a response, the pending call fails. */
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

  /** Aborts the exchange of a request. */
  hangUp(id: Id): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  /** Removes all exchanges after the transport has ended. */
  clear(): void {
    this.#open.clear();
  }
}

function unanswered(): ConnectionError {
  return new ConnectionError('closed', 'The server ended the exchange without an answer');
}
