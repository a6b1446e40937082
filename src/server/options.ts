/** What a server can be told when it is made. */

import { checkOptions, type KeysOf } from '../jsonrpc/known-options.ts';
import { isPromise } from '../jsonrpc/maybe-promise.ts';
import { printable, printableLines } from '../jsonrpc/printable.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import type { ServerEvent } from '../protocol/model/changes.ts';
import type { CacheHints } from '../protocol/revision.ts';
import { type ProtocolVersion, VERSIONS } from '../protocol/revisions.ts';
import type { ChangeBus } from '../store/change-bus.ts';
import type { ServerExtension } from './extensions/extension.ts';
import { checkErrors, type ErrorDisclosure } from './features/registry.ts';
import type { Secret } from './input/request-state.ts';
import type { ErrorReport } from './internals.ts';
import { DEFAULT_LIMITS, type Limits } from './limits/limits.ts';

/** Options of `McpServer`; none is needed. */
export interface McpServerOptions {
  /** The protocol revisions to serve. Default: all of them. */
  readonly revisions?: readonly ProtocolVersion[];
  /**
   * Secrets that seal the state clients carry, of at least 32 bytes each: the first seals, all of them open. Default: a
   * random one, with which a call that asks something can go on only in this process. Give all nodes the same.
   */
  readonly keys?: readonly Secret[];
  /** How to use this server, for the model. */
  readonly instructions?: string;
  /** Gets every error that a client is told only a reference of. Default: written to stderr. */
  readonly onError?: (error: unknown, about: ErrorReport) => void;
  /**
   * What clients are told of errors of handlers that are neither a `ToolError` nor an `RpcError`: `hidden` sends only a
   * reference, `messages` sends their messages. A tool, prompt or resource may have its own. Default: `hidden`.
   */
  readonly errors?: ErrorDisclosure;
  readonly limits?: Partial<Limits>;
  /** Changes what is declared: features of handlers set with `setHandler`, or `false` for what is not to be offered. */
  readonly capabilities?: { readonly [K in keyof ServerCapabilities]?: ServerCapabilities[K] | false };
  /** Extensions this server has. Clients that do not declare one are served as if it were not there. */
  readonly extensions?: readonly ServerExtension[];
  /** How long clients may keep lists and what the server says of itself. Default: not at all. */
  readonly cache?: Partial<CacheHints>;
  /** Where changes are published; a shared one tells all nodes. Default: this process only. */
  readonly changes?: ChangeBus<ServerEvent>;
}

const KEYS: KeysOf<McpServerOptions> = {
  revisions: true,
  keys: true,
  instructions: true,
  onError: true,
  errors: true,
  limits: true,
  capabilities: true,
  extensions: true,
  cache: true,
  changes: true,
};

const CACHE_KEYS: KeysOf<CacheHints> = { ttlMs: true, cacheScope: true };

/** Throws a TypeError for options that are not known or have values that cannot be meant. */
export function checkServerOptions(options: McpServerOptions): void {
  checkOptions('McpServer', options, KEYS);
  checkOptions('McpServer: limits', options.limits, DEFAULT_LIMITS);
  checkOptions('McpServer: cache', options.cache, CACHE_KEYS);
  checkErrors('McpServer', options.errors);
}

/** The revisions to serve, newest first. */
export function servedVersions(wanted: readonly string[] | undefined): readonly string[] {
  const known: readonly string[] = VERSIONS;
  const unknown = wanted?.find((version) => !known.includes(version));
  if (unknown !== undefined) throw new TypeError(`Unknown protocol revision "${unknown}"; known: ${known.join(', ')}`);
  const served = known.filter((version) => wanted?.includes(version) ?? true);
  if (served.length === 0) throw new TypeError('"revisions" is empty: there is nothing to serve');
  return served;
}

/** The capabilities that follow from what is registered, changed as the author wishes. */
export function mergeCapabilities(derived: ServerCapabilities, options: McpServerOptions): ServerCapabilities {
  const merged = { ...derived, ...options.capabilities };
  const declared = Object.entries(merged).filter(([, settings]) => settings !== false && settings !== undefined);
  return Object.fromEntries(declared);
}

/** Reports errors to whom the author named, or to stderr. It never throws: nobody who calls it could do anything. */
export function reporter(
  onError: McpServerOptions['onError'] = logError,
): (error: unknown, about: ErrorReport) => void {
  const failed = (cause: unknown): void => logError(cause, { method: 'onError' });
  return (error, about) => {
    try {
      const result: unknown = onError(error, about);
      if (isPromise(result)) result.then(undefined, failed);
    } catch (cause) {
      failed(cause);
    }
  };
}

/** Writes an error to stderr; whatever was thrown, writing it must not throw. */
function logError(error: unknown, { method, name, reference, hint }: ErrorReport): void {
  const words = [method, name, reference && `reference ${reference}`].filter((word) => typeof word === 'string');
  const about = words.map((word) => printable(word)).join(', ');
  try {
    console.error(`mcpp: ${about}: ${printableLines(traceOf(error))}`);
  } catch {
    console.error(`mcpp: ${about}: an error that cannot be shown`);
  }
  if (hint !== undefined) console.error(`mcpp: ${about}: ${hint}`);
}

// What a handler throws may quote what the client sent, in its message and in those of its causes.
function traceOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error));
  const code = 'code' in error && error.code !== undefined ? ` (code ${String(error.code)})` : '';
  const own = `${error.stack ?? String(error)}${code}`;
  return error.cause === undefined || depth >= MAX_CAUSES
    ? own
    : `${own}\ncaused by ${traceOf(error.cause, depth + 1)}`;
}

const MAX_CAUSES = 5;
