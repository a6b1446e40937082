/** Runs middleware around a call; the first function is the outermost. */

/** A middleware. `next()` runs the rest of the chain and resolves with its result; it may be passed a changed call. */
export type MiddlewareFunction<Call> = (call: Call, next: (changed?: Call) => Promise<unknown>) => unknown;

/**
 * Runs the handler inside all middleware. `onUndefined` gets the index of a middleware whose result is undefined, and may
 * throw.
 */
export function runMiddleware<Call>(
  chain: readonly MiddlewareFunction<Call>[],
  call: Call,
  handler: (call: Call) => unknown,
  onUndefined?: (index: number) => void,
): unknown {
  const run = (index: number, current: Call): unknown => {
    const middleware = chain[index];
    if (!middleware) return handler(current);
    let isCalled = false;
    const callNext = async (changed: Call): Promise<unknown> => {
      if (isCalled) throw new Error('next() was called twice in one middleware');
      isCalled = true;
      const result = await run(index + 1, changed);
      if (result === undefined && index + 1 < chain.length) onUndefined?.(index + 1);
      return result;
    };
    return middleware(current, (changed = current) => {
      const result = callNext(changed);
      // A middleware that does not await `next()` causes no unhandled rejection.
      result.catch(() => {});
      return result;
    });
  };
  return run(0, call);
}
