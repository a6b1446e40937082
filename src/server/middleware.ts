/** Functions around every request and notification: the first one registered is the outermost. */

import type { Context } from './context.ts';

/**
 * Wraps a request or a notification. `next()` goes on inwards and gives the result; returning something else replaces
 * it, not calling `next` answers in its place. What it throws is treated like what a handler throws. With questions a
 * request may go through it more than once.
 */
export type Middleware = (ctx: Context, next: () => Promise<unknown>) => unknown;

/** Calls the innermost function through all of them. */
export function runThrough(layers: readonly Middleware[], ctx: Context, innermost: () => unknown): unknown {
  const enter = (index: number): unknown => {
    const layer = layers[index];
    if (!layer) return innermost();
    let called = false;
    return layer(ctx, () => {
      const inner = goOn(called, () => enter(index + 1));
      called = true;
      // A layer that does not wait for it need not be told.
      inner.catch(() => {});
      return inner;
    });
  };
  return enter(0);
}

async function goOn(called: boolean, inwards: () => unknown): Promise<unknown> {
  if (called) throw new Error('next() was called twice in one middleware');
  return inwards();
}
