/** `ServerInternals`: the members of an `McpServer` that transports and request handling use. */

import type { Tool } from '../protocol/model/tools.ts';
import type { Call, ServerInfo, Viewer } from '../protocol/revision.ts';
import type { CheckedSchema } from '../schema/check/checked-schema.ts';
import type { ExtensionResult } from './extensions/extension-result.ts';
import type { Entry, ErrorDisclosure, Registry } from './features/registry.ts';
import type { UriTemplate } from './features/uri-template/uri-template.ts';
import type { Limits } from './limits/default-limits.ts';
import type { Usage } from './limits/usage.ts';
import type { Middleware } from './middleware-types.ts';

/** The origin of an error. `onError` gets it together with the error. */
export interface ErrorReport {
  /** Method of the request, or the part of the server that failed, such as `transport`. */
  readonly method: string;
  /** Name or URI of the requested tool, prompt or resource. */
  readonly name?: string | undefined;
  /** Random reference that the client got instead of the error's message. Log it, to find the error that a client reports. */
  readonly reference?: string | undefined;
  /** Advice on how to show such errors to clients. Present only for the first hidden error of each tool, prompt or resource. */
  readonly hint?: string | undefined;
}

/** The members of `Extensions` that transports and request handling use. */
export interface ServedExtensions {
  /** For each method of an extension, the member of params that HTTP requests repeat in the header `Mcp-Name`. */
  readonly mcpNames: ReadonlyMap<string, string>;
  readonly addsMeta: boolean;
  /** Number of running detached calls: tool calls that continue as tasks after their request was answered. */
  detached: number;
  withMeta(result: Readonly<Record<string, unknown>>, call: Call): Readonly<Record<string, unknown>>;
  /** Throws if no extension defines this result type for the method, or if the client did not declare the extension. */
  checkResult(result: ExtensionResult, call: Call): void;
}

/** Handles one method. `ctx` is a `RequestContext`, declared as `never` because importing that type would be circular. */
export type Handler = (ctx: never) => unknown;

export interface Registries {
  readonly tools: Registry<Entry & { readonly input: CheckedSchema }>;
  readonly prompts: Registry<Entry>;
  readonly resources: Registry<Entry>;
  readonly templates: Registry<Entry & { readonly template: UriTemplate }>;
}

export interface ServerInternals {
  readonly serverInfo: ServerInfo;
  readonly limits: Limits;
  readonly usage: Usage;
  /** Secrets for `requestState`: the first one encrypts, all of them decrypt. An empty array means a random key. */
  readonly secrets: readonly Uint8Array[];
  readonly extensions: ServedExtensions;
  readonly middleware: readonly Middleware[];
  /** Disclosure of error messages for tools, prompts and resources that do not set the option `errors`. */
  readonly errors: ErrorDisclosure;
  readonly registries: Registries;
  readonly requiresScopes: boolean;
  handler(method: string): Handler | undefined;
  notificationHandler(method: string): Handler | undefined;
  /** Returns the resource with this URI, else the first template that matches the URI. Skips entries hidden from the viewer. */
  resourceAt(uri: string, viewer: Viewer): Entry | undefined;
  visibleTools(viewer: Viewer): readonly Tool[];
  /** Passes an error to `onError`. Never throws. */
  report(error: unknown, about: ErrorReport): void;
}

/** Returns the internals of an `McpServer`. Throws a `TypeError`, which names the function `where`, for other values. */
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
