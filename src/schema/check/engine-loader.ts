/** Loads TypeBox, the JSON Schema engine, on demand: it is large, and schemas of libraries such as zod do not need it. */

import { once } from '../../timing/single-flight.ts';
import type { Checked } from '../problems.ts';
import type { ParsedSchema } from '../read/read-schema.ts';

type Engine = typeof import('./engine.ts');

let engine: Engine | undefined;
let isLoading = false;
/** Number of checks that wait for the JSON Schema engine. Above 0, new checks wait too, so that checks run in call order. */
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

/** Loads the JSON Schema engine. Returns undefined if the engine is already loaded; rejects if it cannot be loaded. */
export function loadEngine(): Promise<void> | undefined {
  return engine ? undefined : load().then(() => {});
}

/** Returns the promise of the running import of the JSON Schema engine; undefined before it starts and after it has ended. */
export function engineLoading(): Promise<void> | undefined {
  return isLoading ? loadEngine() : undefined;
}

/**
 * Returns a function that checks values with the JSON Schema engine. Its first call prepares the schema. Checks are synchronous
 * once the engine is loaded; earlier checks wait for it, and end in the order of their calls.
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
