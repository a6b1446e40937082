/** Requests of the server's own on one line. What they need is loaded with the first: most clients are never asked. */

import type { Id, Params, Response } from '../jsonrpc/message.ts';
import type { OutgoingOptions, OutgoingRequests, OutgoingWire } from '../jsonrpc/outgoing.ts';
import { rarely } from './rarely.ts';

/** Sends them, and waits for their answers. */
export class OwnRequests {
  readonly #wire: OutgoingWire;
  #sent: OutgoingRequests | undefined;
  #isClosed = false;

  constructor(wire: OutgoingWire) {
    this.#wire = wire;
  }

  request(method: string, params: Params | undefined, options: OutgoingOptions): Promise<unknown> {
    return rarely.use(({ OutgoingRequests }) => {
      this.#sent ??= new OutgoingRequests(this.#wire);
      // The line may have ended meanwhile.
      if (this.#isClosed) this.#sent.close();
      return this.#sent.request(method, params, options);
    });
  }

  /** Hands an answer to the request that waits for it. False if none does. */
  settle(response: Response): boolean {
    return this.#sent?.settle(response) ?? false;
  }

  /** Fails the request with this id, if there is one. */
  fail(id: Id, error: Error): void {
    this.#sent?.fail(id, error);
  }

  /** Fails everything that waits. */
  failAll(error: Error): void {
    this.#sent?.failAll(error);
  }

  /** Fails everything that waits, and everything that comes after. */
  close(): void {
    this.#isClosed = true;
    this.#sent?.close();
  }
}
