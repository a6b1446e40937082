/** Requests of the server's that are being answered. */

import { ConnectionError, RpcError, toError } from '../jsonrpc/errors.ts';
import { plainResult } from '../jsonrpc/json/plain-result.ts';
import type { Id, Request, Response } from '../jsonrpc/message.ts';

/** What answering needs from its conversation. */
export interface IncomingHost {
  /** Finds the answer; throws what the server is to be told. */
  answer(request: Request, signal: AbortSignal): Promise<unknown>;
  /** Sends the answer; throws if it cannot be written. */
  send(response: Response): void;
  /** True if somebody here may take time over it. */
  isQuestion(method: string): boolean;
  /** Stops the clocks of our own calls: while the server waits for us, its slowness is ours. */
  pauseClocks(): () => void;
  onError(error: Error): void;
}

// A server that asks more than this at once is not waiting for the answers.
const MAX_AT_ONCE = 100;
const TOO_MANY = RpcError.internal('Too many requests at once');

/** Answers each request once, unless the server takes it back. */
export class IncomingRequests {
  readonly #host: IncomingHost;
  readonly #running = new Map<Id, AbortController>();
  /** Handlers that have not come back yet, also those whose question was taken back. */
  #handlers = 0;
  #toldOfRepeatedId = false;

  constructor(host: IncomingHost) {
    this.#host = host;
  }

  take(request: Request): void {
    const { id } = request;
    // An answer with this id would be taken for that of the first.
    if (this.#running.has(id)) this.#reportRepeatedId();
    else if (this.#handlers >= MAX_AT_ONCE) this.#reply({ jsonrpc: '2.0', id, error: TOO_MANY.toObject() });
    else void this.#answer(request);
  }

  #reportRepeatedId(): void {
    if (!this.#toldOfRepeatedId) this.#host.onError(new ConnectionError('malformed', 'The server used an id twice'));
    this.#toldOfRepeatedId = true;
  }

  /** The server takes a request back: it gets no answer. False if there is none with this id. */
  cancel(id: unknown): boolean {
    const abort = this.#running.get(id as Id);
    abort?.abort();
    return abort !== undefined;
  }

  /** Nobody waits for answers any more. */
  close(): void {
    for (const abort of this.#running.values()) abort.abort();
  }

  async #answer(request: Request): Promise<void> {
    const { id } = request;
    const abort = new AbortController();
    const goOn = this.#host.isQuestion(request.method) ? this.#host.pauseClocks() : undefined;
    // Also when the server takes it back: a handler that never ends must not stand for a question that nobody asks.
    const end = (): void => {
      goOn?.();
      this.#running.delete(id);
    };
    abort.signal.addEventListener('abort', end, { once: true });
    this.#running.set(id, abort);
    this.#handlers++;
    let response: Response;
    try {
      const answer = await this.#host.answer(request, abort.signal);
      response = { jsonrpc: '2.0', id, result: plainResult(Object(answer)) };
    } catch (error) {
      if (abort.signal.aborted) return;
      response = { jsonrpc: '2.0', id, error: this.#told(error).toObject() };
    } finally {
      this.#handlers--;
    }
    if (abort.signal.aborted) return;
    end();
    this.#reply(response);
  }

  // What went wrong here is told here; the server learns only that it did.
  #told(error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    this.#host.onError(toError(error, 'A handler failed'));
    return RpcError.internal('The client failed to answer');
  }

  // What JSON cannot say must not leave the server without an answer.
  #reply(response: Response): void {
    try {
      this.#host.send(response);
    } catch (error) {
      this.#host.onError(toError(error));
      const { id } = response;
      if (id != null && !(error instanceof ConnectionError)) {
        this.#host.send({ jsonrpc: '2.0', id, error: RpcError.internal('The client failed to answer').toObject() });
      }
    }
  }
}
