/** Runs middleware around a call. The first middleware of the chain is the outermost. */

/** A middleware. `next()` runs the rest of the chain and resolves to its result; `next(changed)` runs it with a changed call. */
export type MiddlewareFunction<Call> = (call: Call, next: (changed?: Call) => Promise<unknown>) => unknown;

/**
 * Runs the handler inside all middleware. If the result of a middleware is undefined, `onUndefined` is called with its index and
 * may throw. The first middleware is exempt: its result is the return value.
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
      // A rejection that a middleware does not await must not count as unhandled, which would end the process.
      result.catch(() => {});
      return result;
    });
  };
  return run(0, call);
}
