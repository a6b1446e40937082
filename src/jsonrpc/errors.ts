/** Errors of calls (`RpcError`, `ConnectionError`) and of unreadable messages (`ParseError`), and error responses. */

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

/** Error code of `RpcError.tooManyRequests`, in the range that JSON-RPC leaves to implementations. MCP does not use it. */
export const TOO_MANY_REQUESTS = -32010;

// Property by which `isMcpError` recognizes errors of every copy of this package in the process, where `instanceof` fails.
const mark: unique symbol = Symbol.for('mcpp.error') as never;

/** True for errors of this package, also if another copy of the package in this process made them. */
export function isMcpError(error: unknown): error is Error & { readonly code: number | string } {
  try {
    return typeof error === 'object' && error !== null && mark in error;
  } catch {
    // The operator `in` throws for a revoked Proxy.
    return false;
  }
}

/** Base class of the errors of this package. */
export abstract class McpError extends Error {
  /** Stable identifier of the failure: the number of a JSON-RPC error, otherwise a word such as `timeout`. */
  abstract readonly code: number | string;

  static {
    Object.defineProperty(McpError.prototype, mark, { value: true });
  }
}

// Maximum length of a received error message in `RpcError.message`, in characters.
const MAX_RECEIVED_MESSAGE = 1000;

/** A JSON-RPC error. A handler throws it to send an error response, and a call rejects with it if its response is an error. */
export class RpcError extends McpError {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  /** Names a failure whose error code differs between revisions of MCP. The revision of the request decides the code sent. */
  readonly reason: string | undefined;
  /** The message as the peer sent it, neither cut nor escaped; undefined if this side made the error. */
  #received: string | undefined;

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions & { reason?: string }) {
    super(message, options);
    // A code that is not an integer is replaced, since peers refuse such an error response.
    this.code = Number.isInteger(code) ? code : ErrorCode.InternalError;
    this.data = data;
    this.reason = options?.reason;
  }

  /** Makes error -32600: the message is not a valid request. */
  static invalidRequest(message: string, data?: unknown): RpcError {
    return new RpcError(ErrorCode.InvalidRequest, message, data);
  }

  /** Makes error -32601: the method does not exist. */
  static methodNotFound(method: string): RpcError {
    return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${shorten(method)}`);
  }

  /** Makes error -32602: the params of the method are invalid. */
  static invalidParams(message: string, data?: unknown): RpcError {
    return new RpcError(ErrorCode.InvalidParams, message, data);
  }

  /** Makes error -32603: the request failed on the side that handles it. */
  static internal(message = 'Internal error', data?: unknown): RpcError {
    return new RpcError(ErrorCode.InternalError, message, data);
  }

  /**
   * Makes error -32010: the caller must wait for `retryAfterMs` milliseconds, which the data of the error contains. Over HTTP
   * the response has status 429 and `Retry-After`, unless its stream has begun.
   */
  static tooManyRequests(message: string, { retryAfterMs }: { readonly retryAfterMs: number }): RpcError {
    if (!Number.isFinite(retryAfterMs) || retryAfterMs < 0) {
      throw new TypeError('RpcError.tooManyRequests: "retryAfterMs" must be a number of milliseconds, 0 or more');
    }
    return new RpcError(TOO_MANY_REQUESTS, message, { retryAfterMs });
  }

  /**
   * Makes the error of a received error response. Its `message` is safe to print: cut to 1,000 characters, with control
   * characters and bidirectional marks escaped. `toObject()` returns the message as it was received.
   */
  static from(error: ErrorObject): RpcError {
    const received = new RpcError(error.code, printable(error.message, MAX_RECEIVED_MESSAGE), error.data);
    received.#received = error.message;
    return received;
  }

  /** Returns the member `error` of an error response. */
  toObject(): ErrorObject {
    const { code, data } = this;
    const message = this.#received ?? this.message;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** The reason why a call got no valid response. */
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
  /** A received message exceeds a limit. The error message names the limit, and the option that sets it if there is one. */
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

/** Exit code, signal and last output of a server process that has ended. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 4 KB that the process wrote to stderr. */
  readonly stderr: string;
}

/** Options of the constructor of `ConnectionError`: the values of its optional properties. */
export interface ConnectionErrorDetails extends ErrorOptions {
  readonly process?: ProcessEnd | undefined;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The error of a call that failed without a valid response. Its message is safe to print: control characters are escaped. */
export class ConnectionError extends McpError {
  override readonly name = 'ConnectionError';
  readonly code: ConnectionErrorCode;
  /** How the server process ended, if this client started it. */
  readonly process: ProcessEnd | undefined;
  /** The HTTP status of the response, if the call failed because of it. */
  readonly status: number | undefined;
  /** `Retry-After` of the HTTP response, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ConnectionErrorCode, message: string, details: ConnectionErrorDetails = {}) {
    super(printableLines(message), details);
    this.code = code;
    this.process = details.process;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The reason why a message could not be read. */
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
 * The error of a received message that could not be read, with the message's id if that was readable. Functions return it and
 * never throw it. It is an `Error` only by its prototype: capturing a stack trace takes longer than reading a short message.
 */
export class ParseError {
  readonly name = 'ParseError';
  readonly message: string;
  readonly code: ParseErrorCode;
  readonly id: Id | undefined;
  /** True if the message is a response. It gets no error response; the call with its id fails. */
  readonly isResponse: boolean;
  /** True if the message has a method and no id. It gets no error response. */
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

  /** Returns the member `error` of the error response to the unreadable message. */
  toObject(): ErrorObject {
    const code = this.code === 'MalformedJson' ? ErrorCode.ParseError : ErrorCode.InvalidRequest;
    return { code, message: this.message };
  }

  /** Converts the error to an `RpcError`, which a handler can throw. */
  toRpcError(): RpcError {
    const { code, message } = this.toObject();
    return new RpcError(code, message);
  }

  /** Converts the error of an unreadable response to the error of its call. */
  toConnectionError(): ConnectionError {
    return new ConnectionError(BEYOND_LIMITS.has(this.code) ? 'too-large' : 'malformed', this.message);
  }
}

// Errors of messages that are valid but exceed a limit.
const BEYOND_LIMITS: ReadonlySet<ParseErrorCode> = new Set(['TooDeep', 'TooManyElements', 'TooLong']);

/** Makes an error response. `id` is undefined or null if the request's id could not be read. */
export function errorResponse(error: RpcError | ParseError, id?: Id | null): ErrorResponse {
  const object = error.toObject();
  return id === undefined ? { jsonrpc: '2.0', error: object } : { jsonrpc: '2.0', id, error: object };
}

/** Returns a thrown value if it is an `Error`; otherwise a new `Error` with this message and the value as its `cause`. */
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
