/** Loads the JSON Schema engine with the first raw schema: it is large, and most servers have none. */

import type { Validate } from './problems.ts';
import type { SchemaDocument } from './walker.ts';

/** Makes a function that checks values by a schema. */
export type Compile = (document: SchemaDocument) => Validate;

let compile: Compile | undefined;
let loading: Promise<Compile> | undefined;
let waiting = 0;

/** Loads the engine: the promise settles when that is done. Undefined if the engine is loaded. */
export function loadEngine(): Promise<void> | undefined {
  return compile ? undefined : load().then(() => {});
}

/** The loading that has begun and not ended, if any. */
export function engineLoading(): Promise<void> | undefined {
  return compile || !loading ? undefined : loading.then(() => {});
}

/** Calls a function with the engine: at once if it is loaded, else when it is, in the order of the calls. */
export function withEngine<T>(use: (compile: Compile) => T): T | Promise<T> {
  if (compile && waiting === 0) return use(compile);
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

function load(): Promise<Compile> {
  loading ??= import('./engine.ts').then(
    (module) => {
      compile = module.compile;
      return compile;
    },
    (error) => {
      loading = undefined; // The next call tries again.
      throw error;
    },
  );
  return loading;
}
