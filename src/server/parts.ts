/** What answering a request needs of the server, apart from its handlers. */

import type { Call, Host } from '../protocol/revision.ts';
import type { ErrorDisclosure } from './error-disclosure.ts';
import type { ExtensionResult } from './extension-result.ts';
import { DEFAULT_USAGE_LIMITS, type Usage, type UsageLimits } from './limits/usage.ts';

/** Bounds of what clients can make a server do. */
export interface Limits extends UsageLimits {
  /** Entries per page of a list. Default: 1000. */
  readonly pageSize: number;
  /** Requests of one connection being worked on at the same time. Default: 1000. */
  readonly inFlight: number;
  /** Calls whose handlers are running after they were handed off, as tasks are. Default: 10,000. */
  readonly handedOff: number;
  /** Rounds of questions in one call. Default: 10. */
  readonly rounds: number;
  /** Milliseconds a handler may take before it is aborted, or hands its call off. Default: no limit. */
  readonly handlerMs: number;
  /** Milliseconds a sealed state may be used. Default: 10 minutes. */
  readonly stateTtlMs: number;
}

/** The defaults, all of them generous. */
export const DEFAULT_LIMITS: Limits = {
  ...DEFAULT_USAGE_LIMITS,
  pageSize: 1000,
  inFlight: 1000,
  handedOff: 10_000,
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
  /** How to show such errors to the client; given once per tool, prompt or resource. */
  readonly hint?: string | undefined;
}

/** What extensions have to say when a request is answered. */
export interface ServedExtensions {
  /** The member of params that HTTP repeats as `Mcp-Name`, by method. */
  readonly mcpNames: ReadonlyMap<string, string>;
  /** True if one of them adds to results. */
  readonly addsMeta: boolean;
  /** How many calls are running that they took over. */
  takenOver: number;
  /** The result with what they add to its `_meta`. */
  withMeta(result: Readonly<Record<string, unknown>>, call: Call): Readonly<Record<string, unknown>>;
  /** Throws if this request cannot have such a result. */
  checkResult(result: ExtensionResult, call: Call): void;
}

/** What a request's context can reach. */
export interface Parts {
  readonly host: Host;
  readonly limits: Limits;
  /** What callers make the server keep. */
  readonly usage: Usage;
  /** What state is sealed with. */
  readonly secrets: readonly Uint8Array[];
  readonly extensions: ServedExtensions;
  /** What stands around every request. */
  readonly middleware: readonly unknown[];
  /** What clients are told of plain errors, unless the tool, prompt or resource has an option of its own. */
  readonly errors: ErrorDisclosure;
  report(error: unknown, about: ErrorReport): void;
}
