/** Runs middleware around a call. The first middleware is the outermost. */

/** A middleware. `next` runs the rest of the chain, with a changed call if one is given, and may be called only once. */
export type MiddlewareFunction<Call> = (call: Call, next: (changed?: Call) => Promise<unknown>) => unknown;

/** Runs `chain` around `handler`. If a middleware other than the first returns undefined, `onUndefined` gets its index. */
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
      // Handles the rejection for a middleware that does not await `next()`: unhandled rejections end the process.
      result.catch(() => {});
      return result;
    });
  };
  return run(0, call);
}
