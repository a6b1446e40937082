/**
 * Checks values with TypeBox, the JSON Schema engine. No other file imports TypeBox, and `engine-loader.ts` imports this file
 * dynamically, so that servers without JSON Schema objects do not load the engine.
 */

import { Check, Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { type JsonObject, shorten } from '../json.ts';
import { MAX_ENGINE_ERRORS, MAX_PATH_NAME, MAX_VALUES } from '../limits.ts';
import { type Checked, type Problem, problem } from '../problems.ts';
import type { ParsedSchema } from '../read/read-schema.ts';
import { type NormalForm, toNormalForm, toReceivedForm } from './engine-schema.ts';
import { toProblems } from './problem-messages.ts';
import { isSmall } from './value-size.ts';
import { WorkLimit } from './work-limit.ts';

Settings.Set({ maxErrors: MAX_ENGINE_ERRORS });

/** Returns a function that checks values against an application's schema, compiled if the runtime allows code generation. */
export function compile(parsed: ParsedSchema): (value: unknown) => Checked {
  const form = toNormalForm(parsed);
  const { schema } = form;
  const compiled = Compile(schema);
  // Without code generation, `compiled.Check` leaks memory: it keeps data about every value that it has checked.
  const passes = compiled.IsAccelerated()
    ? (value: unknown) => compiled.Check(value)
    : (value: unknown) => Check(schema, value);
  return (value) => {
    if (passes(checkable(form, value))) return { ok: true, value };
    // Only small values get a list of errors, because TypeBox visits all nested values even after `MAX_ENGINE_ERRORS` errors.
    return { ok: false, problems: isSmall(value) ? problemsOf(form, value) : [tooLarge] };
  };
}

/** Returns a check for a received schema. It accepts values that could take too long, and gives the reason in `unchecked`. */
export function interpret(parsed: ParsedSchema): (value: unknown) => Checked {
  const form = toReceivedForm(parsed);
  const limit = new WorkLimit(form.schema);
  return (value) => {
    try {
      if (limit.isExceededBy(value)) return { ok: true, value, unchecked: tooMuchWork };
      if (Check(form.schema, checkable(form, value))) return { ok: true, value };
      return { ok: false, problems: problemsOf(form, value) };
    } catch (error) {
      // A stack overflow: value or schema are nested too deeply. The value is accepted unchecked, as above the work limit.
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
  // No problems are found if the value breaks the schema only by a long name, because `plainCopy` truncates long names.
  return problems.length > 0 ? problems : [problem('', 'does not match the schema')];
}

// True if a name in the value exceeds `MAX_PATH_NAME`. TypeBox builds the path of every value, which is slow for long names.
function hasLongName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLongName);
  // `Object.values` would take three times as long for an object with many members.
  return Object.keys(value).some((name) => name.length > MAX_PATH_NAME || hasLongName((value as JsonObject)[name]));
}

// Copies a value into objects without a prototype, with names of at most `nameLength` characters. TypeBox evaluates
// `name in value`, which is true for `toString` in every object that inherits from `Object.prototype`.
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
