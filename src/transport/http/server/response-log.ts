/** Reports answers to the option "onResponse", for access logs. */

import { callGuarded } from '../../../jsonrpc/errors.ts';
import { messageObjectOf, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import { printable } from '../../../jsonrpc/printable.ts';
import type { HttpRequest } from '../../../protocol/http/authenticate.ts';
import type { Principal } from '../../../protocol/principal.ts';

/** One answer of an HTTP endpoint. */
export interface HttpResponseInfo {
  /** The HTTP method. */
  readonly method: string;
  /** The path without its query, which may hold secrets. Control characters are escaped. */
  readonly path: string;
  readonly status: number;
  /** Milliseconds from the request's head to the answer's. */
  readonly ms: number;
  /** The answer is an event stream that has just been opened. */
  readonly isStream: boolean;
  /** The authenticated caller. */
  readonly principal: Principal | undefined;
  /**
   * The JSON-RPC method of the body, cut to 100 characters, with control characters escaped. Undefined for batches, for
   * responses, and if the request was refused before its body was read.
   */
  readonly rpcMethod: string | undefined;
  /** The request: its header fields, and as `raw` what the runtime or framework passed. */
  readonly request: HttpRequest;
}

/** Called with each answer when its head is sent. */
export type OnResponse = (response: HttpResponseInfo) => void;

const MAX_METHOD_LENGTH = 100;
const MAX_PATH_LENGTH = 1000;

/** The log entry of one request; it is written once. */
export class ResponseLog {
  readonly #onResponse: OnResponse;
  readonly #onError: (error: Error) => void;
  readonly #started: number = performance.now();
  #rpcMethod: string | undefined;
  #isWritten = false;

  constructor(onResponse: OnResponse, onError: (error: Error) => void) {
    this.#onResponse = onResponse;
    this.#onError = onError;
  }

  /** The body was read. */
  received(payload: Payload): void {
    this.#rpcMethod = messageObjectOf(payload)?.method;
  }

  /** The answer's head was sent. Never throws. */
  write(request: HttpRequest, principal: Principal | undefined, status: number, isStream: boolean): void {
    if (this.#isWritten) return;
    this.#isWritten = true;
    const rpcMethod = this.#rpcMethod;
    const info: HttpResponseInfo = {
      method: request.method,
      path: printable(request.target.split('?', 1)[0] ?? '', MAX_PATH_LENGTH),
      status,
      ms: performance.now() - this.#started,
      isStream,
      principal,
      rpcMethod: rpcMethod === undefined ? undefined : printable(rpcMethod, MAX_METHOD_LENGTH),
      request,
    };
    callGuarded(() => this.#onResponse(info), this.#onError, 'onResponse failed');
  }
}
