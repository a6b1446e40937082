/** Limits of a server and their defaults. Fixed limits of strings and lists in params are in `protocol/params.ts`. */

/** Limits of a server. */
export interface Limits {
  /** Entries per page of a list. Default: 1000. */
  readonly pageSize: number;
  /** Running requests of one connection. Default: 1000. */
  readonly inFlight: number;
  /** Running detached calls (tasks). Default: 10,000. */
  readonly detached: number;
  /** Round trips with input requests in one call. Default: 10. */
  readonly roundTrips: number;
  /** Milliseconds until a handler is aborted and its request gets an error. Detached calls have no limit. Default: no limit. */
  readonly handlerMs: number;
  /** Lifetime of a `requestState` in milliseconds. Default: 10 minutes. */
  readonly stateTtlMs: number;
  /** Bytes kept for all callers: params of running calls, subscriptions and sessions. Default: 128 MiB. */
  readonly keptBytes: number;
  /** Bytes kept for one caller while others use some and more than half of `keptBytes` is in use. Default: 32 MiB. */
  readonly keptBytesPerCaller: number;
  /** Bytes of responses and streams that clients have not read yet. Default: 64 MiB. */
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

/** Characters of a sealed `requestState`. Longer ones are neither sent nor accepted. */
export const MAX_REQUEST_STATE: number = 512 * 1024;
/** Characters of a plain error's message that `errors: 'messages'` sends. */
export const MAX_ERROR_MESSAGE = 2000;
/** Values that one `completion/complete` returns. */
export const MAX_COMPLETION_VALUES = 100;
/** Error responses without an id that one connection reports to `onError`. */
export const MAX_REPORTED_ERRORS = 10;
/** Milliseconds between aborting the handlers of a connection and closing it. */
export const ABORT_GRACE_MS = 100;
/** Milliseconds that a suspended handler has to end before it is ignored. */
export const SUSPEND_GRACE_MS = 1000;
