/** Requests of the server's that are being answered. */

import { RpcError } from '../jsonrpc/errors.ts';
import type { Id, Request, Response } from '../jsonrpc/message.ts';

/** What answering needs from its conversation. */
export interface IncomingHost {
  /** Finds the answer; throws what the server is to be told. */
  answer(request: Request, signal: AbortSignal): Promise<unknown>;
  send(response: Response): void;
  /** Stops the clocks of our own calls: while the server waits for us, its slowness is ours. */
  pauseClocks(): () => void;
  onError(error: Error): void;
}

// A server that asks more than this at once is not waiting for the answers.
const MAX_AT_ONCE = 100;

/** Answers each request once, unless the server takes it back. */
export class IncomingRequests {
  readonly #host: IncomingHost;
  readonly #running = new Map<Id, AbortController>();

  constructor(host: IncomingHost) {
    this.#host = host;
  }

  take(request: Request): void {
    const { id } = request;
    if (this.#running.has(id)) this.#refuse(id, RpcError.invalidRequest('A request with this id is being answered'));
    else if (this.#running.size >= MAX_AT_ONCE) this.#refuse(id, RpcError.internal('Too many requests at once'));
    else void this.#answer(request);
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
    const goOn = this.#host.pauseClocks();
    // Also when the server takes it back: a handler that never ends must not stand for a question that nobody asks.
    const end = (): void => {
      goOn();
      this.#running.delete(id);
    };
    abort.signal.addEventListener('abort', end, { once: true });
    this.#running.set(id, abort);
    let response: Response;
    try {
      response = { jsonrpc: '2.0', id, result: await this.#host.answer(request, abort.signal) };
    } catch (error) {
      if (abort.signal.aborted) return;
      response = { jsonrpc: '2.0', id, error: this.#told(error).toObject() };
    }
    if (abort.signal.aborted) return;
    end();
    this.#host.send(response);
  }

  // What went wrong here is told here; the server learns only that it did.
  #told(error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    this.#host.onError(error instanceof Error ? error : new Error('A handler failed', { cause: error }));
    return RpcError.internal('The client failed to answer');
  }

  #refuse(id: Id, error: RpcError): void {
    this.#host.send({ jsonrpc: '2.0', id, error: error.toObject() });
  }
}
