/** A server as `answer` and `serve` see it: its parts and its handlers. */

import type { RequestContext } from './context.ts';
import type { Middleware } from './middleware.ts';
import type { Parts } from './parts.ts';

/** Answers one method. */
export type Handler = (ctx: RequestContext) => unknown;

/** Everything needed to answer a request. */
export interface ServerParts extends Parts {
  readonly middleware: readonly Middleware[];
  handler(method: string): Handler | undefined;
  notificationHandler(method: string): Handler | undefined;
}

/** Anything that can be served. */
export interface Served {
  /** For this package, not for its users. */
  readonly '~parts': ServerParts;
}
