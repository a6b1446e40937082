/** Errors of calls (`RpcError`, `ConnectionError`), errors of unreadable messages (`ParseError`), and error responses. */

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

/** Code of `RpcError.tooManyRequests`. MCP does not define this code; JSON-RPC reserves its range for implementations. */
export const TOO_MANY_REQUESTS = -32010;

// `isMcpError` tests for this property, because `instanceof` fails for errors of another copy of this package in the process.
const mark: unique symbol = Symbol.for('mcpp.error') as never;

/** True for errors of this package, including errors from another copy of the package in this process. */
export function isMcpError(error: unknown): error is Error & { readonly code: number | string } {
  try {
    return typeof error === 'object' && error !== null && mark in error;
  } catch {
    // The `in` operator throws for a revoked Proxy.
    return false;
  }
}

/** Base class of the errors of this package, each with a stable `code`. */
export abstract class McpError extends Error {
  /** Stable identifier of the failure: the JSON-RPC error code, or a word such as `timeout` for other errors. */
  abstract readonly code: number | string;

  static {
    Object.defineProperty(McpError.prototype, mark, { value: true });
  }
}

// Maximum length of `RpcError.message` for a received error, in characters.
const MAX_RECEIVED_MESSAGE = 1000;

/** A JSON-RPC error. Handlers throw it to send an error response; calls reject with it when they get an error response. */
export class RpcError extends McpError {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  /** Names a failure whose error code differs between MCP revisions. The revision of the request decides which code is sent. */
  readonly reason: string | undefined;
  /** The received error message, neither cut nor escaped; undefined if this side created the error. */
  #received: string | undefined;

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions & { reason?: string }) {
    super(message, options);
    // Peers refuse an error response whose code is not an integer.
    this.code = Number.isInteger(code) ? code : ErrorCode.InternalError;
    this.data = data;
    this.reason = options?.reason;
  }

  /** Creates error -32600: the message is not a valid request. */
  static invalidRequest(message: string, data?: unknown): RpcError {
    return new RpcError(ErrorCode.InvalidRequest, message, data);
  }

  /** Creates error -32601: the method does not exist. */
  static methodNotFound(method: string): RpcError {
    return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${shorten(method)}`);
  }

  /** Creates error -32602: the params of the method are invalid. */
  static invalidParams(message: string, data?: unknown): RpcError {
    return new RpcError(ErrorCode.InvalidParams, message, data);
  }

  /** Creates error -32603: the receiver failed to process the request. */
  static internal(message = 'Internal error', data?: unknown): RpcError {
    return new RpcError(ErrorCode.InternalError, message, data);
  }

  /** Creates error -32010: retry after `retryAfterMs`. Over HTTP: 429 with `Retry-After`, unless an SSE stream has begun. */
  static tooManyRequests(message: string, { retryAfterMs }: { readonly retryAfterMs: number }): RpcError {
    if (!Number.isFinite(retryAfterMs) || retryAfterMs < 0) {
      throw new TypeError('RpcError.tooManyRequests: "retryAfterMs" must be a number of milliseconds, 0 or more');
    }
    return new RpcError(TOO_MANY_REQUESTS, message, { retryAfterMs });
  }

  /** Converts a received error. `message` is escaped and cut to 1,000 characters; `toObject()` returns the original message. */
  static from(error: ErrorObject): RpcError {
    const received = new RpcError(error.code, printable(error.message, MAX_RECEIVED_MESSAGE), error.data);
    received.#received = error.message;
    return received;
  }

  /** Returns the `error` member of an error response: code, message and, unless undefined, data. */
  toObject(): ErrorObject {
    const { code, data } = this;
    const message = this.#received ?? this.message;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** The reason why a call got no valid response. */
export type ConnectionErrorCode =
  | 'closed'
  | 'timeout'
  | 'aborted'
  | 'not-connected'
  /** The peer sent a message that violates the protocol. */
  | 'malformed'
  /** A received message exceeds a limit. The error message names the limit and, if there is one, the option that sets it. */
  | 'too-large'
  | 'spawn-failed'
  /** No connection to the server: DNS, TCP or TLS failed. */
  | 'unreachable'
  | 'http-error'
  | 'session-lost'
  /** The call was not sent, because an option, a security policy or the protocol revision does not allow it. */
  | 'refused'
  | 'failed';

/** Exit code, signal and last stderr output of a server process that has ended. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 4 KiB that the process wrote to stderr. */
  readonly stderr: string;
}

export interface ConnectionErrorDetails extends ErrorOptions {
  readonly process?: ProcessEnd | undefined;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The error of a call that got no valid response. Control characters in `message`, except line feeds, are escaped. */
export class ConnectionError extends McpError {
  override readonly name = 'ConnectionError';
  readonly code: ConnectionErrorCode;
  /** Set if the error was caused by the end of a server process that this client started. */
  readonly process: ProcessEnd | undefined;
  /** HTTP status of the response that caused the error. */
  readonly status: number | undefined;
  /** Value of `Retry-After` in the HTTP response, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ConnectionErrorCode, message: string, details: ConnectionErrorDetails = {}) {
    super(printableLines(message), details);
    this.code = code;
    this.process = details.process;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The reason why a received message could not be read. */
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
 * The error of an unreadable message, with the message's id if that could be read. Parse functions return it and never throw.
 * Does not call the constructor of `Error`, because capturing a stack trace takes longer than parsing a message.
 */
export class ParseError {
  readonly name = 'ParseError';
  readonly message: string;
  readonly code: ParseErrorCode;
  readonly id: Id | undefined;
  /** True if the unreadable message is a response: the call with this `id` fails, and no error response is sent. */
  readonly isResponse: boolean;
  /** True if the unreadable message is a notification (method without id): no error response is sent. */
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

  /** Returns the `error` member of the error response to the unreadable message, with code -32700 or -32600. */
  toObject(): ErrorObject {
    const code = this.code === 'MalformedJson' ? ErrorCode.ParseError : ErrorCode.InvalidRequest;
    return { code, message: this.message };
  }

  /** Converts the error to an `RpcError`, which a handler can throw. */
  toRpcError(): RpcError {
    const { code, message } = this.toObject();
    return new RpcError(code, message);
  }

  /** Converts the error of an unreadable response to the error of its call, with code `too-large` or `malformed`. */
  toConnectionError(): ConnectionError {
    return new ConnectionError(BEYOND_LIMITS.has(this.code) ? 'too-large' : 'malformed', this.message);
  }
}

// Codes that `toConnectionError` converts to `too-large`: the message exceeds a limit.
const BEYOND_LIMITS: ReadonlySet<ParseErrorCode> = new Set(['TooDeep', 'TooManyElements', 'TooLong', 'BatchTooLarge']);

/** Creates an error response. If the request's id could not be read, pass null, or undefined to omit `id`. */
export function errorResponse(error: RpcError | ParseError, id?: Id | null): ErrorResponse {
  const object = error.toObject();
  return id === undefined ? { jsonrpc: '2.0', error: object } : { jsonrpc: '2.0', id, error: object };
}

/** Returns `thrown` if it is an `Error`; otherwise a new `Error` with the text `message` and the cause `thrown`. */
export function toError(thrown: unknown, message = 'A listener failed'): Error {
  return thrown instanceof Error ? thrown : new Error(message, { cause: thrown });
}

/** Calls a listener of the application. `onError` gets the error if the listener throws or its promise rejects. */
export function callGuarded(listener: () => unknown, onError: (error: Error) => void, message?: string): void {
  try {
    const result = listener();
    if (result instanceof Promise) result.catch((error: unknown) => onError(toError(error, message)));
  } catch (error) {
    onError(toError(error, message));
  }
}
