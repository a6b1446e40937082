/** Checking by the engine, which is loaded when the first value comes. */

import type { Validate } from './engine.ts';
import type { Problem } from './problems.ts';
import type { SchemaDocument } from './walker.ts';

/** What the engine says of a value. */
export type Finding =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Engine = typeof import('./engine.ts');

let engine: Engine | undefined;
let loading: Promise<Engine> | undefined;

function loadEngine(): Promise<Engine> {
  loading ??= import('./engine.ts').then(
    (loaded) => {
      engine = loaded;
      return loaded;
    },
    (error: unknown) => {
      loading = undefined; // The next call may have more luck.
      throw error;
    },
  );
  return loading;
}

/** Checks values by a schema that was read; synchronous once the engine is loaded. */
export function checkByEngine(
  document: SchemaDocument,
  how: 'compile' | 'interpret',
): (value: unknown) => Finding | Promise<Finding> {
  let validate: Validate | undefined;
  const check = (value: unknown, { [how]: prepare }: Engine): Finding => {
    validate ??= prepare(document);
    const problems = validate(value);
    return problems === undefined ? { ok: true, value } : { ok: false, problems };
  };
  return (value) => (engine ? check(value, engine) : loadEngine().then((loaded) => check(value, loaded)));
}
