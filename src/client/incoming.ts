/** Requests from the server that are being handled. */

import { ConnectionError, RpcError, toError } from '../jsonrpc/errors.ts';
import { plainResult } from '../jsonrpc/json/plain-result.ts';
import type { Id, Request, Response } from '../jsonrpc/message.ts';

export interface IncomingHost {
  /** Handles a request and returns the result. A thrown `RpcError` is sent to the server. */
  answer(request: Request, signal: AbortSignal): Promise<unknown>;
  /** Sends a response. Throws if the response cannot be serialized. */
  send(response: Response): void;
  /** Returns true if a handler of the application responds to the method, which can take long. */
  isQuestion(method: string): boolean;
  /** Pauses the idle timeouts of pending calls, because the server can need this response before it continues them. */
  pauseClocks(): () => void;
  onError(error: Error): void;
}

// Maximum number of running handlers. Further requests get error -32603.
const MAX_AT_ONCE = 100;
const TOO_MANY = RpcError.internal('Too many requests at once');

/** Sends one response to each request, or none if the server cancels the request. */
export class IncomingRequests {
  readonly #host: IncomingHost;
  readonly #running = new Map<Id, AbortController>();
  /** Number of running handlers, including those of cancelled requests. */
  #handlers = 0;
  #toldOfRepeatedId = false;

  constructor(host: IncomingHost) {
    this.#host = host;
  }

  take(request: Request): void {
    const { id } = request;
    // A repeated id gets no response, because the server would match the response to the first request.
    if (this.#running.has(id)) this.#reportRepeatedId();
    else if (this.#handlers >= MAX_AT_ONCE) this.#reply({ jsonrpc: '2.0', id, error: TOO_MANY.toObject() });
    else void this.#answer(request);
  }

  #reportRepeatedId(): void {
    if (!this.#toldOfRepeatedId) this.#host.onError(new ConnectionError('malformed', 'The server used an id twice'));
    this.#toldOfRepeatedId = true;
  }

  /** Aborts the handler of a request that the server cancelled. Returns false if no request with this id is running. */
  cancel(id: unknown): boolean {
    const abort = this.#running.get(id as Id);
    abort?.abort();
    return abort !== undefined;
  }

  /** Aborts all handlers. No responses are sent. */
  close(): void {
    for (const abort of this.#running.values()) abort.abort();
  }

  async #answer(request: Request): Promise<void> {
    const { id } = request;
    const abort = new AbortController();
    const goOn = this.#host.isQuestion(request.method) ? this.#host.pauseClocks() : undefined;
    // Also called on cancellation, so that a handler that never settles does not keep the timeouts paused.
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

  // Errors other than `RpcError` go to `onError`. The server gets no details of them.
  #told(error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    this.#host.onError(toError(error, 'A handler failed'));
    return RpcError.internal('The client failed to answer');
  }

  // If the result cannot be serialized, the server gets an internal error instead of no response.
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
