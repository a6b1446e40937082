/**
 * The face of the JSON Schema engine. This is the only file that imports it, and it is only reached by `import()`: the
 * build makes it a chunk of its own, so that a server whose schemas are checked by their own library never loads it.
 */
import { Check, Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { isObject } from '../jsonrpc/message.ts';
import { toProblems } from './engine-errors.ts';
import { interpreterOf } from './interpreter.ts';
import { TooMuchWork } from './interpreter-run.ts';
import { toNormalForm } from './normal-form.ts';
import { type Problem, problem } from './problems.ts';
import type { SchemaDocument } from './walker.ts';

/** Says what is wrong with a value, or nothing. */
export type Validate = (value: unknown) => readonly Problem[] | undefined;

/** More than are reported, since several of them become one. */
Settings.Set({ maxErrors: 30 });

/** For our own schemas: compiled to a function where the runtime allows that. */
export function compile(document: SchemaDocument): Validate {
  const { schema, asksForInherited } = toNormalForm(document);
  const compiled = Compile(schema);
  // Where it may not compile, the engine's own substitute keeps what it saw of every value.
  const passes = compiled.IsAccelerated()
    ? (value: unknown) => compiled.Check(value)
    : (value: unknown) => Check(schema, value);
  return (given) => {
    const value = asksForInherited ? withoutPrototypes(given) : given;
    return passes(value) ? undefined : toProblems(Errors(schema, value)[1]);
  };
}

/** For schemas that came over the wire: never compiled, and not allowed more than a fixed amount of work. */
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

/** The engine asks `name in value`, which finds `toString` in every object: then it gets a copy that inherits nothing. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, each] of Object.entries(value)) copy[name] = withoutPrototypes(each);
  return copy;
}
