/** Limits of a server that clients cannot exceed, and their defaults. Fixed limits of strings and lists are in `protocol/params.ts`. */

/** Bounds of what clients can make a server do. */
export interface Limits {
  /** Entries per page of a list. Default: 1000. */
  readonly pageSize: number;
  /** Requests of one connection being worked on at the same time. Default: 1000. */
  readonly inFlight: number;
  /** Calls whose handlers are running after they were handed off, as tasks are. Default: 10,000. */
  readonly detached: number;
  /** Rounds of questions in one call. Default: 10. */
  readonly roundTrips: number;
  /** Milliseconds a handler may take before it is aborted, or hands its call off. Default: no limit. */
  readonly handlerMs: number;
  /** Milliseconds a sealed state may be used. Default: 10 minutes. */
  readonly stateTtlMs: number;
  /** Bytes kept for all callers: params of running calls, subscriptions and sessions. Default: 128 MiB. */
  readonly keptBytes: number;
  /** Bytes kept for one caller, while others compete with it for more than half of `keptBytes`. Default: 32 MiB. */
  readonly keptBytesPerCaller: number;
  /** Bytes of responses and streams that clients have not taken yet. Default: 64 MiB. */
  readonly unflushedBytes: number;
}

/** The defaults. With the limits of HTTP bodies and of stored events, the bytes fit a container of 512 MB. */
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

/** The given limits over the defaults. Throws a `TypeError` for a limit that is not a positive number. */
export function limitsOf(wanted: Partial<Limits> = {}): Limits {
  const given = Object.entries(wanted).filter(([, limit]) => limit !== undefined);
  for (const [name, limit] of given) {
    if (typeof limit !== 'number' || !(limit > 0)) throw new TypeError(`limits.${name} must be a positive number`);
  }
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given) };
}

/** Characters of a sealed `requestState`; a longer one is neither sent nor opened. */
export const MAX_REQUEST_STATE: number = 512 * 1024;
/** Characters of a plain error's message that `errors: 'messages'` sends. */
export const MAX_ERROR_MESSAGE = 2000;
/** Values that one `completion/complete` returns. */
export const MAX_COMPLETION_VALUES = 100;
/** Error responses without an id that one connection reports to `onError`. */
export const MAX_REPORTED_ERRORS = 10;
/** Milliseconds that an aborted handler has to end before its connection is closed. */
export const ABORT_GRACE_MS = 100;
/** Milliseconds that a suspended handler has to end before its run is abandoned. */
export const SUSPEND_GRACE_MS = 1000;
