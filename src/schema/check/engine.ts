/**
 * Checks values with the JSON Schema engine, TypeBox. No other file imports TypeBox, and `engine-loader.ts` loads this one with
 * `import()`, so that servers without raw schemas do not load the engine.
 */

import { Check, Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { type JsonObject, shorten } from '../json.ts';
import { MAX_ENGINE_ERRORS, MAX_PATH_NAME, MAX_VALUES } from '../limits.ts';
import { type Checked, type Problem, problem } from '../problems.ts';
import type { ParsedSchema } from '../read/read-schema.ts';
import { toProblems } from './engine-errors.ts';
import { type NormalForm, toNormalForm, toReceivedForm } from './normal-form.ts';
import { isSmall } from './value-size.ts';
import { WorkLimit } from './work-limit.ts';

Settings.Set({ maxErrors: MAX_ENGINE_ERRORS });

/** Prepares an author's schema. Compiles it to a function, in runtimes that allow code generation. */
export function compile(parsed: ParsedSchema): (value: unknown) => Checked {
  const form = toNormalForm(parsed);
  const { schema } = form;
  const compiled = Compile(schema);
  // Without code generation, `compiled.Check` leaks: it keeps data about every value that it has checked.
  const passes = compiled.IsAccelerated()
    ? (value: unknown) => compiled.Check(value)
    : (value: unknown) => Check(schema, value);
  return (value) => {
    if (passes(checkable(form, value))) return { ok: true, value };
    // The list of errors is made only for small values: the engine visits every value inside, also after it has found the
    // maximum number of errors.
    return { ok: false, problems: isSmall(value) ? problemsOf(form, value) : [tooLarge] };
  };
}

/**
 * Prepares a received schema, which is interpreted and never compiled. A value is not checked if that could take more
 * than a fraction of a second.
 */
export function interpret(parsed: ParsedSchema): (value: unknown) => Checked {
  const form = toReceivedForm(parsed);
  const limit = new WorkLimit(form.schema);
  return (value) => {
    try {
      if (limit.isExceededBy(value)) return { ok: true, value, unchecked: tooMuchWork };
      if (Check(form.schema, checkable(form, value))) return { ok: true, value };
      return { ok: false, problems: problemsOf(form, value) };
    } catch (error) {
      // The value or the schema is nested too deep for the stack.
      if (error instanceof RangeError) return { ok: true, value, unchecked: tooMuchWork };
      throw error;
    }
  };
}

const tooMuchWork = 'the schema and the value take too much work to check';

const tooLarge = problem(
  '',
  `does not match the schema: it has more than ${MAX_VALUES} values, too many to locate the problems`,
);

function checkable({ hasInheritedNames }: NormalForm, value: unknown): unknown {
  return hasInheritedNames ? plainCopy(value, Number.POSITIVE_INFINITY) : value;
}

function problemsOf({ schema, hasInheritedNames }: NormalForm, value: unknown): readonly Problem[] {
  const given = hasInheritedNames || hasLongName(value) ? plainCopy(value, MAX_PATH_NAME) : value;
  const problems = toProblems(Errors(schema, given)[1]);
  // The list is empty if the error is about a long name, since names are cut in the copy.
  return problems.length > 0 ? problems : [problem('', 'does not match the schema')];
}

// True if a name is longer than `MAX_PATH_NAME`. The engine builds and escapes the path of every value, so long names make it
// slow.
function hasLongName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLongName);
  // For an object with many names, `Object.values` takes three times as long.
  return Object.keys(value).some((name) => name.length > MAX_PATH_NAME || hasLongName((value as JsonObject)[name]));
}

/**
 * Copies a value into objects without a prototype, and cuts names to a length. The engine evaluates `name in value`, which
 * finds `toString` in every object that inherits from `Object.prototype`.
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
