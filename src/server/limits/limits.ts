/** Limits of a server and their defaults. Fixed limits of strings and lists in params are in `protocol/params.ts`. */

/** The option `limits` of `McpServer`, with defaults filled in. */
export interface Limits {
  /** Maximum entries per page of `tools/list` and the other lists. Default: 1000. */
  readonly pageSize: number;
  /** Maximum running requests of one connection; further ones get an error. Default: 1000. */
  readonly inFlight: number;
  /** Maximum running detached calls (tool calls that continue as tasks) of the server. Default: 10,000. */
  readonly detached: number;
  /** Maximum round trips with input requests in one call, so that a handler cannot ask forever. Default: 10. */
  readonly roundTrips: number;
  /** Milliseconds until a handler is aborted and its request gets an error. Detached calls have no limit. Default: no limit. */
  readonly handlerMs: number;
  /** Lifetime of a `requestState` in milliseconds. Default: 10 minutes. */
  readonly stateTtlMs: number;
  /** Maximum bytes in memory for all callers: params of running calls, subscriptions and sessions. Default: 128 MiB. */
  readonly keptBytes: number;
  /** Maximum of `keptBytes` for one caller, while other callers use some and more than half is in use. Default: 32 MiB. */
  readonly keptBytesPerCaller: number;
  /** Maximum bytes of responses and stream events that wait in memory until clients read them. Default: 64 MiB. */
  readonly unflushedBytes: number;
}

/** Default limits. Together with the limits of HTTP bodies and of stored events, they fit a container of 512 MB. */
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

/** Merges limits with the defaults. Throws a `TypeError` for a limit that is not a positive number. */
export function limitsOf(wanted: Partial<Limits> = {}): Limits {
  const given = Object.entries(wanted).filter(([, limit]) => limit !== undefined);
  for (const [name, limit] of given) {
    if (typeof limit !== 'number' || !(limit > 0)) throw new TypeError(`limits.${name} must be a positive number`);
  }
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given) };
}

/** Maximum characters of an encrypted `requestState`. The server neither sends nor accepts longer ones. */
export const MAX_REQUEST_STATE: number = 512 * 1024;
/** Maximum characters of a handler error's message that `errors: 'messages'` sends to the client; the rest is cut off. */
export const MAX_ERROR_MESSAGE = 2000;
/** Maximum values in a result of `completion/complete`. The specification sets this number. */
export const MAX_COMPLETION_VALUES = 100;
/** Maximum error responses without an id that one connection passes to `onError`, so that a client cannot flood the log. */
export const MAX_REPORTED_ERRORS = 10;
/** Milliseconds that aborted handlers of a closing connection have to send their responses before it disconnects. */
export const ABORT_GRACE_MS = 100;
/** Milliseconds that a handler has for its `finally` blocks after an input request suspended it. Then it is ignored. */
export const SUSPEND_GRACE_MS = 1000;
