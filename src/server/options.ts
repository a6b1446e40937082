/** `McpServerOptions`, with validation and defaults. */

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
import { DEFAULT_LIMITS, type Limits } from './limits/default-limits.ts';

/** Second argument of the constructor of `McpServer`, which throws a `TypeError` for an unknown option. */
export interface McpServerOptions {
  /** Protocol revisions to serve. Default: all. */
  readonly revisions?: readonly ProtocolVersion[];
  /**
   * Secrets of at least 32 bytes for the encryption of `requestState`: the first one encrypts, all of them decrypt. All nodes
   * need the same secrets. Default: a random key, so that only this process can continue a call that requires input.
   */
  readonly keys?: readonly Secret[];
  /** Text for the model about how to use this server. */
  readonly instructions?: string;
  /** Called with unexpected errors of handlers (not `ToolError` or `RpcError`), extensions and transports. Default: stderr. */
  readonly onError?: (error: unknown, about: ErrorReport) => void;
  /**
   * Disclosure of handler errors other than `ToolError` and `RpcError`. With `hidden`, clients get a random reference; with
   * `messages`, the error's message. Tools, prompts and resources can override this option. Default: `hidden`.
   */
  readonly errors?: ErrorDisclosure;
  readonly limits?: Partial<Limits>;
  /** Additional capabilities, for methods added with `setHandler`. `false` removes a capability and its methods. */
  readonly capabilities?: { readonly [K in keyof ServerCapabilities]?: ServerCapabilities[K] | false };
  /** Protocol extensions. Clients that do not declare an extension are served without it. */
  readonly extensions?: readonly ServerExtension[];
  /** How long and for whom clients may cache lists and the result of `server/discover`. Default: no caching. */
  readonly cache?: Partial<CacheHints>;
  /** Bus for change notifications. All nodes must share one bus. Default: in memory, for this process only. */
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

export function checkServerOptions(options: McpServerOptions): void {
  checkOptions('McpServer', options, KEYS);
  checkOptions('McpServer: limits', options.limits, DEFAULT_LIMITS);
  checkOptions('McpServer: cache', options.cache, CACHE_KEYS);
  checkErrors('McpServer', options.errors);
}

/** Returns the protocol versions to serve, newest first. Throws a `TypeError` if a version is unknown or `wanted` is empty. */
export function servedVersions(wanted: readonly string[] | undefined): readonly string[] {
  const known: readonly string[] = VERSIONS;
  const unknown = wanted?.find((version) => !known.includes(version));
  if (unknown !== undefined) throw new TypeError(`Unknown protocol revision "${unknown}"; known: ${known.join(', ')}`);
  const served = known.filter((version) => wanted?.includes(version) ?? true);
  if (served.length === 0)
    throw new TypeError('"revisions" is empty: name at least one protocol revision, or leave it out to serve all');
  return served;
}

/** Merges the option `capabilities` into the capabilities of registered features. The value `false` removes a capability. */
export function mergeCapabilities(derived: ServerCapabilities, options: McpServerOptions): ServerCapabilities {
  const merged = { ...derived, ...options.capabilities };
  const declared = Object.entries(merged).filter(([, settings]) => settings !== false && settings !== undefined);
  return Object.fromEntries(declared);
}

/** Wraps `onError` so that it never throws. Errors thrown by `onError` go to stderr. */
export function reporter(
  onError: McpServerOptions['onError'] = logError,
): (error: unknown, about: ErrorReport) => void {
  const reportFailure = (cause: unknown): void => logError(cause, { method: 'onError' });
  return (error, about) => ignoreRejection(() => onError(error, about), reportFailure);
}

/** Writes an error to stderr. Never throws, even if a getter of the error throws. */
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

// Returns the stacks of an error and its causes. They can contain text from clients, so print them with `printableLines`.
function traceOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error));
  const code = 'code' in error && error.code !== undefined ? ` (code ${String(error.code)})` : '';
  const trace = `${error.stack ?? String(error)}${code}`;
  return error.cause === undefined || depth >= MAX_CAUSES
    ? trace
    : `${trace}\ncaused by ${traceOf(error.cause, depth + 1)}`;
}

// Maximum causes that are logged per error, because a chain of causes can be circular.
const MAX_CAUSES = 5;
