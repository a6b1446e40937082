/** Functions around every request and notification: the first one registered is the outermost. */

import type { Context } from './context.ts';

/**
 * Wraps a request or a notification. `next()` goes on inwards and gives the result; returning something else replaces
 * it, not calling `next` answers in its place, and what it throws is what the client is told.
 */
export type Middleware = (ctx: Context, next: () => Promise<unknown>) => unknown;

/** Calls the innermost function through all of them. */
export function runThrough(layers: readonly Middleware[], ctx: Context, innermost: () => unknown): unknown {
  const enter = (index: number): unknown => {
    const layer = layers[index];
    if (!layer) return innermost();
    let called = false;
    return layer(ctx, async () => {
      if (called) throw new Error('next() was called twice in one middleware');
      called = true;
      return enter(index + 1);
    });
  };
  return enter(0);
}
