/** `ResponseLog`: reports responses to the option `onResponse`, for access logs. */

import { callGuarded } from '../../../jsonrpc/errors.ts';
import { messageObjectOf, type Payload } from '../../../jsonrpc/json/parse-message.ts';
import { printable } from '../../../jsonrpc/printable.ts';
import type { HttpRequest } from '../../../protocol/http/authenticate.ts';
import type { Principal } from '../../../protocol/principal.ts';

/** Describes one HTTP response, for access logs. */
export interface HttpResponseInfo {
  /** HTTP method of the request. */
  readonly method: string;
  /** Path without the query, which can contain secrets; at most 1,000 characters. Control characters are escaped. */
  readonly path: string;
  readonly status: number;
  /** Time between the head of the request and the head of the response, in milliseconds. */
  readonly ms: number;
  /** True if the response is an SSE stream, which has just opened. */
  readonly isStream: boolean;
  /** The authenticated caller; undefined if the request was not authenticated. */
  readonly principal: Principal | undefined;
  /**
   * JSON-RPC method of the body, at most 100 characters, with control characters escaped. Undefined for batches and responses,
   * and if the request was refused before its body was read.
   */
  readonly rpcMethod: string | undefined;
  /** The request: its header fields, and in `raw` the object of the runtime or framework. */
  readonly request: HttpRequest;
}

/** Called when the head of a response is sent. */
export type OnResponse = (response: HttpResponseInfo) => void;

const MAX_METHOD_LENGTH = 100;
const MAX_PATH_LENGTH = 1000;

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

  /** Remembers the JSON-RPC method of the request body. */
  received(payload: Payload): void {
    this.#rpcMethod = messageObjectOf(payload)?.method;
  }

  /** Calls `onResponse`, unless it was called before for this request. Never throws. */
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
