/** Errors of calls (`RpcError`, `ConnectionError`), errors of unreadable messages, and error responses. */

import type { ErrorObject, ErrorResponse, Id } from './message.ts';
import { printable, printableLines, shorten } from './printable.ts';

/** Error codes that JSON-RPC 2.0 defines. */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
} as const;

/** Code of `RpcError.tooManyRequests`, from the range that JSON-RPC leaves to implementations and MCP does not use. */
export const TOO_MANY_REQUESTS = -32010;

// Identifies errors across several copies of this package in one process, where `instanceof` fails.
const mark: unique symbol = Symbol.for('mcpp.error') as never;

/** True for errors of this package, also if another copy of the package in this process made them. */
export function isMcpError(error: unknown): error is Error & { readonly code: number | string } {
  try {
    return typeof error === 'object' && error !== null && mark in error;
  } catch {
    // `in` throws for a revoked Proxy.
    return false;
  }
}

/** Base class of the errors of this package. */
export abstract class McpError extends Error {
  /** Stable: the number of a JSON-RPC error, otherwise a word such as `timeout`. */
  abstract readonly code: number | string;

  static {
    Object.defineProperty(McpError.prototype, mark, { value: true });
  }
}

const MAX_RECEIVED_MESSAGE = 1000;

/** A JSON-RPC error: a handler throws it to send an error response, and a call rejects with it when it receives one. */
export class RpcError extends McpError {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  /** Names a failure for which revisions of MCP have different codes. The revision of the request decides the code that is sent. */
  readonly reason: string | undefined;
  /** The message as the peer sent it. */
  #received: string | undefined;

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions & { reason?: string }) {
    super(message, options);
    // A peer cannot read a response whose code is not an integer.
    this.code = Number.isInteger(code) ? code : ErrorCode.InternalError;
    this.data = data;
    this.reason = options?.reason;
  }

  /** -32600: the message is not a valid request. */
  static invalidRequest(message: string, data?: unknown): RpcError {
    return new RpcError(ErrorCode.InvalidRequest, message, data);
  }

  /** -32601: the method does not exist. */
  static methodNotFound(method: string): RpcError {
    return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${shorten(method)}`);
  }

  /** -32602: the params of the method are invalid. */
  static invalidParams(message: string, data?: unknown): RpcError {
    return new RpcError(ErrorCode.InvalidParams, message, data);
  }

  /** -32603: the request failed on this side. */
  static internal(message = 'Internal error', data?: unknown): RpcError {
    return new RpcError(ErrorCode.InternalError, message, data);
  }

  /**
   * -32010: the caller must wait, for the `retryAfterMs` in the error's data. Over HTTP the response has status 429 and
   * `Retry-After`, unless its stream has begun.
   */
  static tooManyRequests(message: string, { retryAfterMs }: { readonly retryAfterMs: number }): RpcError {
    if (!Number.isFinite(retryAfterMs) || retryAfterMs < 0) {
      throw new TypeError('RpcError.tooManyRequests: "retryAfterMs" must be a number of milliseconds, 0 or more');
    }
    return new RpcError(TOO_MANY_REQUESTS, message, { retryAfterMs });
  }

  /**
   * Makes the error of a received error response. `message` is safe to print: cut after 1,000 characters, with control
   * characters and bidirectional marks escaped. `toObject()` returns the message as it was received.
   */
  static from(error: ErrorObject): RpcError {
    const received = new RpcError(error.code, printable(error.message, MAX_RECEIVED_MESSAGE), error.data);
    received.#received = error.message;
    return received;
  }

  /** Returns the `error` of an error response. */
  toObject(): ErrorObject {
    const { code, data } = this;
    const message = this.#received ?? this.message;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** Why a call got no response. */
export type ConnectionErrorCode =
  /** The connection ended. */
  | 'closed'
  /** No response arrived in time. */
  | 'timeout'
  /** The caller aborted the call. */
  | 'aborted'
  | 'not-connected'
  /** The peer sent a message that is not valid in the protocol. */
  | 'malformed'
  /** A received message exceeds a limit; the error message names the option. */
  | 'too-large'
  /** The server's process could not be started. */
  | 'spawn-failed'
  /** No connection to the server: DNS, TCP or TLS failed. */
  | 'unreachable'
  /** The server responded with an HTTP error status. */
  | 'http-error'
  /** The server no longer has the session. */
  | 'session-lost'
  /** The call was not sent: an option, a security policy or the revision does not allow it. */
  | 'refused'
  | 'failed';

/** How a server's process ended. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 4 KB of its stderr. */
  readonly stderr: string;
}

/** Optional properties of a `ConnectionError`. */
export interface ConnectionErrorDetails extends ErrorOptions {
  readonly process?: ProcessEnd | undefined;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The error of a call that failed without a valid response. Its message is safe to print: control characters are escaped. */
export class ConnectionError extends McpError {
  override readonly name = 'ConnectionError';
  readonly code: ConnectionErrorCode;
  /** How the server's process ended, if this client started it. */
  readonly process: ProcessEnd | undefined;
  /** The HTTP status of the response, if that is the reason. */
  readonly status: number | undefined;
  /** The `Retry-After` of the response, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ConnectionErrorCode, message: string, details: ConnectionErrorDetails = {}) {
    super(printableLines(message), details);
    this.code = code;
    this.process = details.process;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Why a message could not be read. */
export type ParseErrorCode =
  | 'MalformedJson'
  | 'NotAnObject'
  | 'MissingJsonrpc'
  | 'InvalidJsonrpcVersion'
  | 'MissingId'
  | 'InvalidIdType'
  | 'MissingMethod'
  | 'InvalidMethodType'
  | 'InvalidParamsType'
  | 'MethodAndResult'
  | 'ResultAndError'
  | 'InvalidResultType'
  | 'InvalidErrorObject'
  | 'EmptyBatch'
  | 'BatchTooLarge'
  | 'BatchNotSupported'
  | 'TooDeep'
  | 'TooManyElements'
  | 'NumberOutOfRange'
  | 'TooLong';

/**
 * Why a received message could not be read, with its id if that was readable. Returned, never thrown. An `Error` by its
 * prototype only: capturing a stack trace would take longer than reading a short message.
 */
export class ParseError {
  readonly name = 'ParseError';
  readonly message: string;
  readonly code: ParseErrorCode;
  readonly id: Id | undefined;
  /** True if the message is a response: no error response is sent for it, and the call with its id fails. */
  readonly isResponse: boolean;
  /** True if the message has a method and no id: no error response is sent for it. */
  readonly isNotification: boolean;

  static {
    Object.setPrototypeOf(ParseError.prototype, McpError.prototype);
  }

  constructor(code: ParseErrorCode, message: string, id?: Id, isResponse = false, isNotification = false) {
    this.message = message;
    this.code = code;
    this.id = id;
    this.isResponse = isResponse;
    this.isNotification = isNotification;
  }

  /** Returns the `error` of the error response to the message. */
  toObject(): ErrorObject {
    const code = this.code === 'MalformedJson' ? ErrorCode.ParseError : ErrorCode.InvalidRequest;
    return { code, message: this.message };
  }

  /** Converts the error to one that a handler can throw. */
  toRpcError(): RpcError {
    const { code, message } = this.toObject();
    return new RpcError(code, message);
  }

  /** Converts the error of a response to that of its call. */
  toConnectionError(): ConnectionError {
    return new ConnectionError(BEYOND_LIMITS.has(this.code) ? 'too-large' : 'malformed', this.message);
  }
}

const BEYOND_LIMITS: ReadonlySet<ParseErrorCode> = new Set(['TooDeep', 'TooManyElements', 'TooLong']);

/** Makes an error response. `id` is undefined or null if the request's id could not be read. */
export function errorResponse(error: RpcError | ParseError, id?: Id | null): ErrorResponse {
  const object = error.toObject();
  return id === undefined ? { jsonrpc: '2.0', error: object } : { jsonrpc: '2.0', id, error: object };
}

/** Returns a thrown value if it is an `Error`, otherwise a new `Error` with the value as its `cause`. */
export function toError(thrown: unknown, message = 'A listener failed'): Error {
  return thrown instanceof Error ? thrown : new Error(message, { cause: thrown });
}

/** Calls a listener of the application. If it throws, or returns a promise that rejects, `onError` gets the error. */
export function callGuarded(listener: () => unknown, onError: (error: Error) => void, message?: string): void {
  try {
    const result = listener();
    if (result instanceof Promise) result.catch((error: unknown) => onError(toError(error, message)));
  } catch (error) {
    onError(toError(error, message));
  }
}
