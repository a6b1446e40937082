/** A server as the request path sees it: its options, its handlers and its registered entries. */

import type { Tool } from '../protocol/model/tools.ts';
import type { Call, ServerInfo, Viewer } from '../protocol/revision.ts';
import type { CheckedSchema } from '../schema/check/checked-schema.ts';
import type { ExtensionResult } from './extensions/extension-result.ts';
import type { Entry, ErrorDisclosure, Registry } from './features/registry.ts';
import type { UriTemplate } from './features/uri-template/uri-template.ts';
import type { Limits } from './limits/limits.ts';
import type { Usage } from './limits/usage.ts';
import type { Middleware } from './middleware.ts';

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

/** The extensions of a server, as far as handling a request needs them. */
export interface ServedExtensions {
  /** The member of params that HTTP repeats as `Mcp-Name`, by method. */
  readonly mcpNames: ReadonlyMap<string, string>;
  /** True if an extension adds to the `_meta` of results. */
  readonly addsMeta: boolean;
  /** Number of detached calls that are running. */
  detached: number;
  /** The result with what extensions add to its `_meta`. */
  withMeta(result: Readonly<Record<string, unknown>>, call: Call): Readonly<Record<string, unknown>>;
  /** Throws if the request cannot have this result. */
  checkResult(result: ExtensionResult, call: Call): void;
}

/** Handles one method. Its argument is a `RequestContext`, a type that itself refers to `ServerInternals`. */
export type Handler = (ctx: never) => unknown;

/** Registered entries by kind, with what the request path reads of them. */
export interface Registries {
  readonly tools: Registry<Entry & { readonly input: CheckedSchema }>;
  readonly prompts: Registry<Entry>;
  readonly resources: Registry<Entry>;
  readonly templates: Registry<Entry & { readonly template: UriTemplate }>;
}

/** Everything that handling a request needs of a server. */
export interface ServerInternals {
  readonly serverInfo: ServerInfo;
  readonly limits: Limits;
  /** The memory that callers make the server keep. */
  readonly usage: Usage;
  /** The keys that seal `requestState`. */
  readonly secrets: readonly Uint8Array[];
  readonly extensions: ServedExtensions;
  readonly middleware: readonly Middleware[];
  /** Which errors of handlers are sent, unless the tool, prompt or resource has an option of its own. */
  readonly errors: ErrorDisclosure;
  readonly registries: Registries;
  /** True if a registered entry requires scopes. */
  readonly requiresScopes: boolean;
  handler(method: string): Handler | undefined;
  notificationHandler(method: string): Handler | undefined;
  /** The resource, else the template, that is read at a URI, if the viewer may see it. */
  resourceAt(uri: string, viewer: Viewer): Entry | undefined;
  /** Definitions of the tools that the viewer may see. */
  visibleTools(viewer: Viewer): readonly Tool[];
  report(error: unknown, about: ErrorReport): void;
}

/** The internals of the server passed to `where`. Throws a `TypeError` for anything else than an `McpServer`. */
export function internalsOf(where: string, server: unknown): ServerInternals {
  const isObject = typeof server === 'object' && server !== null;
  if (isObject && '~internals' in server) return server['~internals'] as ServerInternals;
  const isRequest = isObject && 'headers' in server && 'method' in server;
  throw new TypeError(
    isRequest
      ? `${where} was called with a request: pass ${where}(server) to the framework, not ${where} itself`
      : `${where} needs an McpServer as its first argument, as in ${where}(server)`,
  );
}
