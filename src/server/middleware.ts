/** Functions around every request and notification that arrives. */

import type { Context } from './context.ts';

/**
 * Wraps a request or a notification. `next()` goes on inwards and gives the result; returning something else replaces
 * it, not calling `next` answers in its place. What it throws is treated like what a handler throws. With questions a
 * request may go through it more than once.
 */
export type Middleware = (ctx: Context, next: () => Promise<unknown>) => unknown;
