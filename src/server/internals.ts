/** The parts of a server that handle requests: options, handlers and registered entries. */

import type { Tool } from '../protocol/model/tools.ts';
import type { Call, ServerInfo, Viewer } from '../protocol/revision.ts';
import type { CheckedSchema } from '../schema/check/checked-schema.ts';
import type { ExtensionResult } from './extensions/extension-result.ts';
import type { Entry, ErrorDisclosure, Registry } from './features/registry.ts';
import type { UriTemplate } from './features/uri-template/uri-template.ts';
import type { Limits } from './limits/limits.ts';
import type { Usage } from './limits/usage.ts';
import type { Middleware } from './middleware-types.ts';

/** The origin of an error that is passed to `onError`. */
export interface ErrorReport {
  /** The method of the request, or the part of the server, such as `transport`. */
  readonly method: string;
  /** The name or URI of the tool, prompt or resource that the request names. */
  readonly name?: string | undefined;
  /** The random reference that the client got in place of the error's message, to find the error in the log. */
  readonly reference?: string | undefined;
  /** Advice on how to let clients see such errors. Set only for the first error of a tool, prompt or resource. */
  readonly hint?: string | undefined;
}

/** The extensions of a server: the members that request handling and HTTP transports need. Implemented by `Extensions`. */
export interface ServedExtensions {
  /** Name of the member of params whose value HTTP requests repeat in the header `Mcp-Name`, by method. */
  readonly mcpNames: ReadonlyMap<string, string>;
  /** True if an extension adds to the `_meta` of results. */
  readonly addsMeta: boolean;
  /** Number of running detached calls. */
  detached: number;
  /** Returns the result with the members that extensions add to its `_meta`. */
  withMeta(result: Readonly<Record<string, unknown>>, call: Call): Readonly<Record<string, unknown>>;
  /** Throws if no extension defines this type of result for the method, or the request does not declare the extension. */
  checkResult(result: ExtensionResult, call: Call): void;
}

/** Handles one method. `ctx` is a `RequestContext`, declared as `never` because that type refers to `ServerInternals`. */
export type Handler = (ctx: never) => unknown;

/** The registered tools, prompts, resources and resource templates of a server. */
export interface Registries {
  readonly tools: Registry<Entry & { readonly input: CheckedSchema }>;
  readonly prompts: Registry<Entry>;
  readonly resources: Registry<Entry>;
  readonly templates: Registry<Entry & { readonly template: UriTemplate }>;
}

/** The members of a server that handle requests. */
export interface ServerInternals {
  readonly serverInfo: ServerInfo;
  readonly limits: Limits;
  /** Counts the memory that the server uses for its callers. */
  readonly usage: Usage;
  /** The keys that encrypt `requestState`. */
  readonly secrets: readonly Uint8Array[];
  readonly extensions: ServedExtensions;
  readonly middleware: readonly Middleware[];
  /** The default of the option `errors` of tools, prompts and resources. */
  readonly errors: ErrorDisclosure;
  readonly registries: Registries;
  /** True if at least one registered entry requires scopes. */
  readonly requiresScopes: boolean;
  handler(method: string): Handler | undefined;
  notificationHandler(method: string): Handler | undefined;
  /** Returns the resource with this URI, else the first template that matches it, among those that the viewer may see. */
  resourceAt(uri: string, viewer: Viewer): Entry | undefined;
  /** Returns the definitions of the tools that the viewer may see. */
  visibleTools(viewer: Viewer): readonly Tool[];
  /** Passes an error to `onError`. Never throws. */
  report(error: unknown, about: ErrorReport): void;
}

/** Returns the internals of a server. Throws a `TypeError` if it is no `McpServer`; `where` is the function that got it. */
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
