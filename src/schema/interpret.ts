/** Checks values against schemas that came over the wire. Only reached by `import()`: most programs never do. */

import { toProblems } from './engine-errors.ts';
import { interpreterOf } from './interpreter.ts';
import { TooMuchWork } from './interpreter-run.ts';
import { problem, type Validate } from './problems.ts';
import type { SchemaDocument } from './walker.ts';

/** Makes such a schema ready: never compiled, and not allowed more than a fixed amount of work. */
export function interpret(document: SchemaDocument): Validate {
  const check = interpreterOf(document);
  return (value) => {
    try {
      const errors = check(value);
      return errors && toProblems(errors);
    } catch (error) {
      if (error instanceof TooMuchWork || error instanceof RangeError)
        return [problem('', 'takes too much work to check')];
      throw error;
    }
  };
}
