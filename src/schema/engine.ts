/**
 * The face of the JSON Schema engine. This is the only file that imports it, and it is only reached by `import()`: the
 * build makes it a chunk of its own, so that a server whose schemas are checked by their own library never loads it.
 */
import { Check, Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { toProblems } from './engine-errors.ts';
import { shorten } from './json.ts';
import { toNormalForm } from './normal-form.ts';
import { problem, type Validate } from './problems.ts';
import { isSmall, maxValues } from './value-size.ts';
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
    const value = asksForInherited ? plainCopy(given, Number.POSITIVE_INFINITY) : given;
    if (passes(value)) return undefined;
    // The engine looks at every value for errors, also when it has found more than are told.
    if (!isSmall(value)) return [tooLarge];
    const problems = toProblems(Errors(schema, plainCopy(value, maxName))[1]);
    // A rule about long names, which the copy has not.
    return problems.length > 0 ? problems : [problem('', 'does not follow the schema')];
  };
}

const tooLarge = problem(
  '',
  `does not follow the schema: it has more than ${maxValues} values, too many to tell where`,
);

/** The engine makes a path of every error, as long as the names are, and escapes them whether there is an error or not. */
const maxName = 1024;

/**
 * A copy that inherits nothing, with names cut to a length. The engine asks `name in value`, which finds `toString` in
 * every object that inherits from `Object.prototype`.
 */
function plainCopy(value: unknown, nameLength: number): unknown {
  const copies = new Map<object, unknown>();
  return copy(value);

  function copy(from: unknown): unknown {
    if (typeof from !== 'object' || from === null) return from;
    const known = copies.get(from);
    if (known !== undefined) return known;
    const to: unknown[] & Record<string, unknown> = Array.isArray(from) ? [] : Object.create(null);
    copies.set(from, to);
    if (Array.isArray(from)) for (const item of from) to.push(copy(item));
    else for (const [name, member] of Object.entries(from)) to[shorten(name, nameLength)] = copy(member);
    return to;
  }
}
