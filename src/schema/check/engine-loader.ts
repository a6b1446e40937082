/** Loads the JSON Schema engine on demand: it is large, and most servers have no raw schemas. */

import { once } from '../../timing/single-flight.ts';
import type { Checked } from '../problems.ts';
import type { ParsedSchema } from '../read/read-schema.ts';

type Engine = typeof import('./engine.ts');

let engine: Engine | undefined;
let isLoading = false;
/** Number of checks that wait for the engine. */
let waiting = 0;

const load = once(async (): Promise<Engine> => {
  isLoading = true;
  try {
    engine = await import('./engine.ts');
    return engine;
  } finally {
    isLoading = false;
  }
});

/** Loads the engine. Resolves when it is loaded, rejects if it cannot be loaded; undefined if it is loaded already. */
export function loadEngine(): Promise<void> | undefined {
  return engine ? undefined : load().then(() => {});
}

/** Returns the promise of a load in progress; undefined if the engine is not being loaded. */
export function engineLoading(): Promise<void> | undefined {
  return isLoading ? loadEngine() : undefined;
}

/**
 * Returns a function that checks values with the engine. It prepares the schema when it gets the first value. It is synchronous
 * once the engine is loaded; until then checks wait, and keep their order.
 */
export function checkByEngine(
  schema: ParsedSchema,
  prepare: 'compile' | 'interpret',
): (value: unknown) => Checked | Promise<Checked> {
  let check: ((value: unknown) => Checked) | undefined;
  const run = (loaded: Engine, value: unknown): Checked => {
    check ??= loaded[prepare](schema);
    return check(value);
  };
  return (value) => {
    if (engine && waiting === 0) return run(engine, value);
    waiting++;
    const checked = load().then((loaded) => run(loaded, value));
    return checked.finally(() => waiting--);
  };
}
