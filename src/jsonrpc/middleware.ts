/** Functions around a call, like the skins of an onion: the first one is the outermost. */

/** One of them. `next()` goes on inwards and gives the result; it may be given a changed call to go on with. */
export type MiddlewareFunction<Call> = (call: Call, next: (changed?: Call) => Promise<unknown>) => unknown;

/** Calls the innermost function through all of them. `onNothing` gets the index of a layer that gives undefined, and may throw. */
export function runMiddleware<Call>(
  layers: readonly MiddlewareFunction<Call>[],
  call: Call,
  innermost: (call: Call) => unknown,
  onNothing?: (index: number) => void,
): unknown {
  const goOn = async (called: boolean, index: number, changed: Call): Promise<unknown> => {
    if (called) throw new Error('next() was called twice in one middleware');
    const result = await enter(index, changed);
    if (result === undefined && index < layers.length) onNothing?.(index);
    return result;
  };
  const enter = (index: number, present: Call): unknown => {
    const layer = layers[index];
    if (!layer) return innermost(present);
    let called = false;
    return layer(present, (changed = present) => {
      const inner = goOn(called, index + 1, changed);
      called = true;
      // A layer that does not wait for it need not be told.
      inner.catch(() => {});
      return inner;
    });
  };
  return enter(0, call);
}
