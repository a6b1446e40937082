/** Functions around every request and notification that arrives. */

import type { Context } from './context.ts';
import type { TypedRequest } from './request-params.ts';

/** The context of a request or notification whose params are typed by its method. */
export type MiddlewareContext = Context & TypedRequest;

/**
 * Wraps a request or a notification. `next()` goes on inwards and gives the result; returning something else replaces
 * it, not calling `next` answers in its place. What it throws is treated like what a handler throws. With questions a
 * request may go through it more than once.
 */
export type Middleware = (ctx: MiddlewareContext, next: () => Promise<unknown>) => unknown;
