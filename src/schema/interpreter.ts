/**
 * Checks values against schemas that came over the wire. They are never compiled to code, and every step is counted before
 * it is made: neither a schema nor a value can keep the process busy.
 *
 * Patterns are ignored, so a subschema with one accepts too much. Rules that refuse a value because a subschema accepts it
 * (`not`, `oneOf`, `if`, `maxContains`) are therefore weaker in a schema that has patterns: no value is refused that a
 * complete validator accepts.
 */

import { isObject } from '../jsonrpc/message.ts';
import type { EngineError } from './engine-errors.ts';
import { type Check, type Maker, type Rule, Run } from './interpreter-run.ts';
import type { JsonObject } from './json.ts';
import { arrayRules, lastArrayRules } from './rules-arrays.ts';
import { lastObjectRules, objectRules } from './rules-objects.ts';
import { sameRules } from './rules-same.ts';
import { valueRules } from './rules-values.ts';
import type { SchemaDocument } from './walker.ts';

/** What entering a subschema costs, whatever its rules. */
const entryCost = 20;

/** In the order they are asked. */
const rules: ReadonlyMap<string, Rule> = new Map([
  ...valueRules,
  ...objectRules,
  ...arrayRules,
  ...sameRules,
  ...lastArrayRules,
  ...lastObjectRules,
]);

/** Makes a schema ready: says what is wrong with a value, or nothing, or throws `TooMuchWork`. */
export function interpreterOf(document: SchemaDocument): (value: unknown) => readonly EngineError[] | undefined {
  const check = new Interpreter(document).of(document.root);
  const tracks = [...document.resources.keys()].some(
    ({ unevaluatedItems, unevaluatedProperties }) =>
      unevaluatedItems !== undefined || unevaluatedProperties !== undefined,
  );
  return (value) => {
    const run = new Run(tracks);
    if (check(run, value, undefined, run.fresh())) return undefined;
    // Most values are fine, and finding out costs less if nobody is to be told why not.
    return run.loudly(() => check(run, value, undefined, run.fresh())).errors;
  };
}

class Interpreter implements Maker {
  readonly document: SchemaDocument;
  readonly #checks = new Map<JsonObject, Check>();

  constructor(document: SchemaDocument) {
    this.document = document;
  }

  of(schema: unknown): Check {
    if (!isObject(schema)) return schema === false ? never : always;
    const known = this.#checks.get(schema);
    if (known) return known;
    let made: readonly Check[] | undefined;
    // Made when first needed: schemas may contain themselves.
    const all: Check = (run, value, at, seen) => {
      run.spend(entryCost);
      made ??= this.#rules(schema);
      let ok = true;
      for (const check of made) {
        if (check(run, value, at, seen)) continue;
        if (run.isFull) return false;
        ok = false;
      }
      return ok;
    };
    const check = this.document.hasDynamicScope ? this.#scoped(schema, all) : all;
    this.#checks.set(schema, check);
    return check;
  }

  #rules(schema: JsonObject): Check[] {
    // Until 2019-09 a `$ref` stood alone: whatever was beside it did not count.
    const isAlone = this.document.dialect !== '2020-12' && schema.$ref !== undefined;
    return [...rules].flatMap(([keyword, rule]) => {
      const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      if (value === undefined || (isAlone && keyword !== '$ref')) return [];
      return rule(value, this, schema) ?? [];
    });
  }

  /** Remembers which part of the document it went through. */
  #scoped(schema: JsonObject, check: Check): Check {
    const resource = this.document.resources.get(schema);
    return (run, value, at, seen) => {
      if (resource === undefined || run.scope.at(-1) === resource) return check(run, value, at, seen);
      run.scope.push(resource);
      const ok = check(run, value, at, seen);
      run.scope.pop();
      return ok;
    };
  }
}

const always: Check = () => true;
const never: Check = (run, _, at) => run.fail(at, 'boolean', 'is not allowed');
