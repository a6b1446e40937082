/** Options of `McpServer`. */

import { checkOptions, type KeysOf } from '../jsonrpc/known-options.ts';
import { ignoreRejection } from '../jsonrpc/maybe-promise.ts';
import { printable, printableLines } from '../jsonrpc/printable.ts';
import type { ServerCapabilities } from '../protocol/model/capabilities.ts';
import type { ServerEvent } from '../protocol/model/changes.ts';
import type { CacheHints } from '../protocol/revision.ts';
import { type ProtocolVersion, VERSIONS } from '../protocol/revisions.ts';
import type { ChangeBus } from '../store/change-bus.ts';
import type { ServerExtension } from './extensions/extension.ts';
import { checkErrors } from './features/entry-config.ts';
import type { ErrorDisclosure } from './features/registry.ts';
import type { Secret } from './input/request-state.ts';
import type { ErrorReport } from './internals.ts';
import { DEFAULT_LIMITS, type Limits } from './limits/limits.ts';

/** Options of `McpServer`. All are optional. */
export interface McpServerOptions {
  /** The protocol revisions to serve. Default: all of them. */
  readonly revisions?: readonly ProtocolVersion[];
  /**
   * Keys of at least 32 bytes that encrypt `requestState`: the first one encrypts, all of them decrypt. All nodes need the same
   * keys. Default: a random key, with which only this process can continue a call that requires input.
   */
  readonly keys?: readonly Secret[];
  /** Text for the model about how to use this server. */
  readonly instructions?: string;
  /** Called with errors that clients do not get, and with errors of transports. Default: writes them to stderr. */
  readonly onError?: (error: unknown, about: ErrorReport) => void;
  /**
   * Disclosure of handler errors that are neither a `ToolError` nor an `RpcError`: with `hidden`, clients get only a reference,
   * with `messages` the error's message. Tools, prompts and resources can override it. Default: `hidden`.
   */
  readonly errors?: ErrorDisclosure;
  readonly limits?: Partial<Limits>;
  /** Capabilities to declare in addition, for handlers of `setHandler`; `false` removes a capability and its methods. */
  readonly capabilities?: { readonly [K in keyof ServerCapabilities]?: ServerCapabilities[K] | false };
  /** Extensions of the protocol. Clients that do not declare an extension are served without it. */
  readonly extensions?: readonly ServerExtension[];
  /** Cache hints of lists and of `server/discover`. Default: no caching. */
  readonly cache?: Partial<CacheHints>;
  /** The bus for change notifications. Several nodes need a shared one. Default: in memory, for this process only. */
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

/** Throws a `TypeError` for unknown options and invalid values. */
export function checkServerOptions(options: McpServerOptions): void {
  checkOptions('McpServer', options, KEYS);
  checkOptions('McpServer: limits', options.limits, DEFAULT_LIMITS);
  checkOptions('McpServer: cache', options.cache, CACHE_KEYS);
  checkErrors('McpServer', options.errors);
}

/** Returns the revisions to serve, newest first. */
export function servedVersions(wanted: readonly string[] | undefined): readonly string[] {
  const known: readonly string[] = VERSIONS;
  const unknown = wanted?.find((version) => !known.includes(version));
  if (unknown !== undefined) throw new TypeError(`Unknown protocol revision "${unknown}"; known: ${known.join(', ')}`);
  const served = known.filter((version) => wanted?.includes(version) ?? true);
  if (served.length === 0)
    throw new TypeError('"revisions" is empty: name at least one protocol revision, or leave it out to serve all');
  return served;
}

/** Merges the capabilities of registered features with the option `capabilities`. */
export function mergeCapabilities(derived: ServerCapabilities, options: McpServerOptions): ServerCapabilities {
  const merged = { ...derived, ...options.capabilities };
  const declared = Object.entries(merged).filter(([, settings]) => settings !== false && settings !== undefined);
  return Object.fromEntries(declared);
}

/** Wraps `onError` so that it never throws: its own errors go to stderr. */
export function reporter(
  onError: McpServerOptions['onError'] = logError,
): (error: unknown, about: ErrorReport) => void {
  const reportFailure = (cause: unknown): void => logError(cause, { method: 'onError' });
  return (error, about) => ignoreRejection(() => onError(error, about), reportFailure);
}

/** Writes an error to stderr. Never throws, even if reading the thrown value throws. */
function logError(error: unknown, { method, name, reference, hint }: ErrorReport): void {
  const parts = [method, name, reference && `reference ${reference}`].filter((part) => typeof part === 'string');
  const about = parts.map((part) => printable(part)).join(', ');
  try {
    console.error(`mcpp: ${about}: ${printableLines(traceOf(error))}`);
  } catch {
    console.error(`mcpp: ${about}: an error that cannot be shown`);
  }
  if (hint !== undefined) console.error(`mcpp: ${about}: ${hint}`);
}

// Returns the stacks of an error and its causes. They may contain text of the client: print them with `printableLines`.
function traceOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error));
  const code = 'code' in error && error.code !== undefined ? ` (code ${String(error.code)})` : '';
  const trace = `${error.stack ?? String(error)}${code}`;
  return error.cause === undefined || depth >= MAX_CAUSES
    ? trace
    : `${trace}\ncaused by ${traceOf(error.cause, depth + 1)}`;
}

// Maximum causes of one error in the log: a chain of causes may be circular.
const MAX_CAUSES = 5;
