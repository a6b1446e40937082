/** The errors of a conversation: what a peer answered, and what befell the connection. */

import type { ErrorObject, Id } from './message.ts';
import { printable } from './printable.ts';

/** The codes JSON-RPC 2.0 itself defines. */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
} as const;

/** The code of `RpcError.tooManyRequests`, from the range that JSON-RPC leaves to servers and MCP does not use. */
export const TOO_MANY_REQUESTS = -32010;

// Two copies of this package in one process know each other's errors by this mark; `instanceof` does not.
const mark: unique symbol = Symbol.for('mcpp.error') as never;

/** True for every error this package makes, also for those of another copy of it. */
export function isMcpError(error: unknown): error is Error & { readonly code: number | string } {
  try {
    return typeof error === 'object' && error !== null && mark in error;
  } catch {
    // What is thrown may be anything, also an object that fights back.
    return false;
  }
}

/** What every error of this package has in common. */
export abstract class McpError extends Error {
  /** Stable: a number where the wire has one, otherwise a word. */
  abstract readonly code: number | string;

  static {
    Object.defineProperty(McpError.prototype, mark, { value: true });
  }
}

const MAX_RECEIVED = 1000;

/** An error that travels: thrown by a handler it is the answer, received from a peer it rejects the call. */
export class RpcError extends McpError {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  /** What went wrong in the protocol's words, where revisions differ in the number they give it. */
  readonly reason: string | undefined;
  /** The message as the peer sent it. */
  #received: string | undefined;

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions & { reason?: string }) {
    super(message, options);
    // A code that is no integer would make the whole answer unreadable.
    this.code = Number.isInteger(code) ? code : ErrorCode.InternalError;
    this.data = data;
    this.reason = options?.reason;
  }

  /** -32600: the message is not a valid request. */
  static invalidRequest(message: string, data?: unknown): RpcError {
    return new RpcError(ErrorCode.InvalidRequest, message, data);
  }

  /** -32601: no such method here. */
  static methodNotFound(method: string): RpcError {
    return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${shorten(method)}`);
  }

  /** -32602: the method exists, its params are wrong. */
  static invalidParams(message: string, data?: unknown): RpcError {
    return new RpcError(ErrorCode.InvalidParams, message, data);
  }

  /** -32603: something broke on this side. */
  static internal(message = 'Internal error', data?: unknown): RpcError {
    return new RpcError(ErrorCode.InternalError, message, data);
  }

  /**
   * -32010: the caller has to wait. Over HTTP the answer is status 429 with `Retry-After` if nothing was sent before;
   * everywhere it has `retryAfterMs` in its data.
   */
  static tooManyRequests(message: string, { retryAfterMs }: { readonly retryAfterMs: number }): RpcError {
    if (!Number.isFinite(retryAfterMs) || retryAfterMs < 0) {
      throw new TypeError('RpcError.tooManyRequests: "retryAfterMs" must be a number of milliseconds, 0 or more');
    }
    return new RpcError(TOO_MANY_REQUESTS, message, { retryAfterMs });
  }

  /**
   * The error a peer answered. In `message`, control characters and bidirectional marks are escaped, and it is cut after
   * 1,000 characters: programs print it. `toObject()` gives the message as it was sent.
   */
  static from(error: ErrorObject): RpcError {
    const received = new RpcError(error.code, printable(error.message, MAX_RECEIVED), error.data);
    received.#received = error.message;
    return received;
  }

  /** As the wire has it. */
  toObject(): ErrorObject {
    const { code, data } = this;
    const message = this.#received ?? this.message;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** Why a call got no answer. */
export type ConnectionErrorCode =
  /** The connection ended. */
  | 'closed'
  /** No answer came in time. */
  | 'timeout'
  /** The caller gave up. */
  | 'aborted'
  | 'not-connected'
  /** What the peer said breaks the protocol. */
  | 'malformed'
  /** What the peer sent exceeds a limit of this side; the message names the option. */
  | 'too-large'
  /** The program that is the server could not be started. */
  | 'spawn-failed'
  /** There is no way to the server: no such host, nobody listens, no trust. */
  | 'unreachable'
  /** The server answered with an HTTP status that is no answer. */
  | 'http-error'
  /** The server does not know the session any more. */
  | 'session-lost'
  /** Something on this side does not allow it. */
  | 'refused'
  | 'failed';

/** How the process on the other side ended, and the last it wrote on stderr. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  /** The signal that ended it. */
  readonly signal: string | null;
  /** The last 4 KB. */
  readonly stderr: string;
}

/** What is known beside the message. */
export interface ConnectionErrorDetails extends ErrorOptions {
  /** How the server's process ended. */
  readonly process?: ProcessEnd | undefined;
  /** The HTTP status the server answered with. */
  readonly status?: number | undefined;
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The connection, not the peer's code, kept a call from being answered. Control characters and bidirectional marks in the
 * message are escaped, except line feeds.
 */
export class ConnectionError extends McpError {
  override readonly name = 'ConnectionError';
  readonly code: ConnectionErrorCode;
  /** How the server's process ended, if it was one of ours. */
  readonly process: ProcessEnd | undefined;
  /** The HTTP status the server answered with, if that is what went wrong. */
  readonly status: number | undefined;
  /** Milliseconds after which the server wants to be asked again, if it said so (`Retry-After`). */
  readonly retryAfterMs: number | undefined;

  constructor(code: ConnectionErrorCode, message: string, details: ConnectionErrorDetails = {}) {
    super(printableLines(message), details);
    this.code = code;
    this.process = details.process;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Every reason a message can be refused before anybody looks at its method. */
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
 * A message that could not be read. Returned, never thrown; it carries the id where that could be read. It is an `Error`
 * without a stack trace: capturing one for each line of a flood would cost more than reading the line.
 */
export class ParseError {
  readonly name = 'ParseError';
  readonly message: string;
  readonly code: ParseErrorCode;
  readonly id: Id | undefined;
  /** The message was an answer of the peer's: it must not be answered, but a waiting call can be told. */
  readonly isResponse: boolean;
  /** The message has a method and no id: it must not be answered. */
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

  /** The error as the sender gets it. */
  toObject(): ErrorObject {
    const code = this.code === 'MalformedJson' ? ErrorCode.ParseError : ErrorCode.InvalidRequest;
    return { code, message: this.message };
  }

  /** The same to throw. */
  toRpcError(): RpcError {
    const { code, message } = this.toObject();
    return new RpcError(code, message);
  }

  /** The error of the call that this was the response to. */
  toConnectionError(): ConnectionError {
    return new ConnectionError(BEYOND_LIMITS.has(this.code) ? 'too-large' : 'malformed', this.message);
  }
}

const BEYOND_LIMITS: ReadonlySet<ParseErrorCode> = new Set(['TooDeep', 'TooManyElements', 'TooLong']);

/** What was thrown, as an error: whoever throws may throw anything. */
export function toError(thrown: unknown, message = 'A listener failed'): Error {
  return thrown instanceof Error ? thrown : new Error(message, { cause: thrown });
}

/** Calls a function of somebody else's. What it throws, or rejects with if it is asynchronous, goes to `onError`. */
export function callGuarded(listener: () => unknown, onError: (error: Error) => void, message?: string): void {
  try {
    const result = listener();
    if (result instanceof Promise) result.catch((error: unknown) => onError(toError(error, message)));
  } catch (error) {
    onError(toError(error, message));
  }
}

/** A name from the wire as an error text shows it, in quotes and whatever characters it has. */
export function quoted(name: string): string {
  const cut = name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}...`;
  return printable(JSON.stringify(cut), Number.POSITIVE_INFINITY);
}

/** A name from the wire, short enough to stand in an error text, whatever characters it has. */
export function shorten(name: string, length: number = MAX_NAME): string {
  return printable(name, length);
}

/** Text of several lines, in which everything but the line feeds is made safe for terminals and logs. */
export function printableLines(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => printable(line, Number.POSITIVE_INFINITY)).join('\n');
}

const MAX_NAME = 128;
