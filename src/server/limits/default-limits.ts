/** Limits of a server and their defaults. Fixed limits of strings and lists in params are in `protocol/params.ts`. */

/** The option `limits` of `McpServer`, with defaults filled in. */
export interface Limits {
  /** Maximum entries per page of `tools/list` and the other lists. Default: 1000. */
  readonly pageSize: number;
  /** Maximum running requests per connection. Further requests get an error until a running request ends. Default: 1000. */
  readonly inFlight: number;
  /** Maximum detached calls (tool calls that continue as tasks) per server. Further calls get an error. Default: 10,000. */
  readonly detached: number;
  /** Maximum round trips with input requests per call. If the handler requires input again, the call fails. Default: 10. */
  readonly roundTrips: number;
  /** Timeout of handlers, in milliseconds. The request then gets an error. Tasks have no timeout. Default: `Infinity`. */
  readonly handlerMs: number;
  /** Lifetime of a `requestState` in milliseconds. A later retry of the call gets an error. Default: 10 minutes. */
  readonly stateTtlMs: number;
  /** Maximum bytes of memory for running calls, subscriptions and sessions. Then new ones get an error. Default: 128 MiB. */
  readonly keptBytes: number;
  /** Maximum bytes for one caller, if other callers use memory and over half of `keptBytes` is in use. Default: 32 MiB. */
  readonly keptBytesPerCaller: number;
  /** Maximum bytes of responses and events that clients have not read. Then new requests get an error. Default: 64 MiB. */
  readonly unflushedBytes: number;
}

/** With these limits, and the default limits of HTTP bodies and stored events, a server fits into 512 MB of memory. */
export const DEFAULT_LIMITS: Limits = {
  pageSize: 1000,
  inFlight: 1000,
  detached: 10_000,
  roundTrips: 10,
  handlerMs: Number.POSITIVE_INFINITY,
  stateTtlMs: 10 * 60_000,
  keptBytes: 128 * 1024 * 1024,
  keptBytesPerCaller: 32 * 1024 * 1024,
  unflushedBytes: 64 * 1024 * 1024,
};

/** Fills in the defaults. Throws a `TypeError` for a limit that is not a number of at least 1. */
export function limitsOf(wanted: Partial<Limits> = {}): Limits {
  const given = Object.entries(wanted).filter(([, limit]) => limit !== undefined);
  for (const [name, limit] of given) {
    if (typeof limit !== 'number' || !(limit >= 1)) throw new TypeError(`limits.${name} must be at least 1`);
  }
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given) };
}

/** Maximum length of an encrypted `requestState`, in characters. The server neither sends nor accepts longer ones. */
export const MAX_REQUEST_STATE: number = 512 * 1024;
/** Maximum characters of an error message that `errors: 'messages'` sends to clients. The rest is cut off. */
export const MAX_ERROR_MESSAGE = 2000;
/** Maximum values in a result of `completion/complete`, as the specification requires. */
export const MAX_COMPLETION_VALUES = 100;
/** Maximum error responses without an id that `onError` gets per connection. More of them could flood the log. */
export const MAX_REPORTED_ERRORS = 10;
/** Milliseconds that a closing connection waits for the responses of aborted handlers before it disconnects. */
export const ABORT_GRACE_MS = 100;
/** Milliseconds that a handler suspended by an input request has for its `finally` blocks, before its outcome is ignored. */
export const SUSPEND_GRACE_MS = 1000;
