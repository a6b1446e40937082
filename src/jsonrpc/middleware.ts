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
  const callNext = async (isCalled: boolean, index: number, changed: Call): Promise<unknown> => {
    if (isCalled) throw new Error('next() was called twice in one middleware');
    const result = await enter(index, changed);
    if (result === undefined && index < chain.length) onUndefined?.(index);
    return result;
  };
  const enter = (index: number, present: Call): unknown => {
    const middleware = chain[index];
    if (!middleware) return handler(present);
    let isCalled = false;
    return middleware(present, (changed = present) => {
      const inner = callNext(isCalled, index + 1, changed);
      isCalled = true;
      // A middleware that does not await `next()` causes no unhandled rejection.
      inner.catch(() => {});
      return inner;
    });
  };
  return enter(0, call);
}
