/** What answering a request needs of the server, apart from its handlers. */

import type { Host } from '../protocol/revision.ts';
import type { Seal } from './seal.ts';

/** Bounds of what one client can make a server do. */
export interface Limits {
  /** Entries per page of a list. Default: 1000. */
  readonly pageSize: number;
  /** Requests of one connection being worked on at the same time. Default: 1000. */
  readonly inFlight: number;
  /** Rounds of questions in one call. Default: 10. */
  readonly rounds: number;
  /** Milliseconds a handler may take before it is aborted. Default: no limit. */
  readonly handlerMs: number;
  /** Milliseconds a sealed state may be used. Default: 10 minutes. */
  readonly stateTtlMs: number;
}

/** The defaults, all of them generous. */
export const DEFAULT_LIMITS: Limits = {
  pageSize: 1000,
  inFlight: 1000,
  rounds: 10,
  handlerMs: Number.POSITIVE_INFINITY,
  stateTtlMs: 10 * 60_000,
};

/** Where an error that no client gets to see happened. */
export interface ErrorReport {
  readonly method: string;
  /** The tool, prompt or resource. */
  readonly name?: string | undefined;
  /** What the client was told in place of the error, to find it by. */
  readonly reference?: string | undefined;
}

/** What a request's context can reach. */
export interface Parts {
  readonly host: Host;
  readonly limits: Limits;
  readonly seal: Seal;
  report(error: unknown, about: ErrorReport): void;
}
