/** Loads the JSON Schema engine on demand: it is large, and most servers have no raw schemas. */

import type { Checked } from '../problems.ts';
import type { ParsedSchema } from '../read/read-schema.ts';

type Engine = typeof import('./engine.ts');

let engine: Engine | undefined;
let loading: Promise<Engine> | undefined;
let waiting = 0;

/** Loads the engine. The promise settles when it is loaded or failed to load; undefined if it is loaded already. */
export function loadEngine(): Promise<void> | undefined {
  return engine ? undefined : load().then(() => {});
}

/** The pending load of the engine, if any. */
export function engineLoading(): Promise<void> | undefined {
  return engine || !loading ? undefined : loading.then(() => {});
}

/**
 * Checks values with the engine, which prepares the schema for the first of them. Synchronous once the engine is loaded;
 * until then the checks wait, and keep their order.
 */
export function checkByEngine(
  schema: ParsedSchema,
  prepare: 'compile' | 'interpret',
): (value: unknown) => Checked | Promise<Checked> {
  let check: ((value: unknown) => Checked) | undefined;
  return (value) =>
    withEngine((loaded) => {
      check ??= loaded[prepare](schema);
      return check(value);
    });
}

function withEngine<T>(use: (engine: Engine) => T): T | Promise<T> {
  if (engine && waiting === 0) return use(engine);
  waiting++;
  const done = (): void => void waiting--;
  return load().then(
    (loaded) => {
      done();
      return use(loaded);
    },
    (error) => {
      done();
      throw error;
    },
  );
}

function load(): Promise<Engine> {
  loading ??= import('./engine.ts').then(
    (loaded) => {
      engine = loaded;
      return loaded;
    },
    (error) => {
      loading = undefined; // The next call tries again.
      throw error;
    },
  );
  return loading;
}
