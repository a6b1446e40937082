/** A server as `answer` and `serve` see it: its parts and its handlers. */

import type { Tool } from '../protocol/model/tools.ts';
import type { Viewer } from '../protocol/revision.ts';
import type { RequestContext } from './context.ts';
import type { Middleware } from './middleware.ts';
import type { Registries } from './needed-scopes.ts';
import type { Parts } from './parts.ts';

/** Answers one method. */
export type Handler = (ctx: RequestContext) => unknown;

/** Everything needed to answer a request. */
export interface ServerParts extends Parts {
  readonly middleware: readonly Middleware[];
  handler(method: string): Handler | undefined;
  notificationHandler(method: string): Handler | undefined;
  /** The same server for whoever owns this process and is not known otherwise: it asks for no scopes. */
  readonly owned: Served;
  /** Everything that can be asked for. */
  readonly registries: Registries;
  /** True if some of it needs scopes, unless this is for the owner of the process. */
  readonly isScoped: boolean;
  /** The tools this viewer may know of. */
  toolsFor(viewer: Viewer): readonly Tool[];
}

/** Throws a TypeError if this is no server; a function that is given a request was passed on in place of what it makes. */
export function checkServed(where: string, server: unknown): asserts server is Served {
  if (typeof server === 'object' && server !== null && '~parts' in server) return;
  const isRequest = typeof server === 'object' && server !== null && 'headers' in server && 'method' in server;
  throw new TypeError(
    isRequest
      ? `${where} was called with a request: pass ${where}(server) to the framework, not ${where} itself`
      : `${where} needs an McpServer as its first argument, as in ${where}(server)`,
  );
}

/** Anything that can be served. */
export interface Served {
  /** For this package, not for its users. */
  readonly '~parts': ServerParts;
}
