/**
 * The face of the JSON Schema engine. This is the only file that imports it, and it is only reached by `import()`: the
 * build makes it a chunk of its own, so that a server whose schemas are checked by their own library never loads it.
 */
import { Check, Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { isObject } from '../jsonrpc/message.ts';
import { toProblems } from './engine-errors.ts';
import { toNormalForm } from './normal-form.ts';
import type { Validate } from './problems.ts';
import type { SchemaDocument } from './walker.ts';

/** More than are reported, since several of them become one. */
Settings.Set({ maxErrors: 30 });

/** Makes a schema of our own ready: compiled to a function where the runtime allows that. */
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

/** The engine asks `name in value`, which finds `toString` in every object: then it gets a copy that inherits nothing. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, each] of Object.entries(value)) copy[name] = withoutPrototypes(each);
  return copy;
}
