/** Functions around a call, like the skins of an onion: the first one is the outermost. */

/** One of them. `next()` goes on inwards and gives the result; it may be given a changed call to go on with. */
export type Layer<Call> = (call: Call, next: (changed?: Call) => Promise<unknown>) => unknown;

/** Calls the innermost function through all of them. */
export function runThrough<Call>(
  layers: readonly Layer<Call>[],
  call: Call,
  innermost: (call: Call) => unknown,
): unknown {
  const enter = (index: number, present: Call): unknown => {
    const layer = layers[index];
    if (!layer) return innermost(present);
    let called = false;
    return layer(present, (changed = present) => {
      const inner = goOn(called, () => enter(index + 1, changed));
      called = true;
      // A layer that does not wait for it need not be told.
      inner.catch(() => {});
      return inner;
    });
  };
  return enter(0, call);
}

async function goOn(called: boolean, inwards: () => unknown): Promise<unknown> {
  if (called) throw new Error('next() was called twice in one middleware');
  return inwards();
}
