/**
 * Rewrites one schema of a received document so that the engine interprets it without patterns and in bounded time.
 *
 * Patterns are not evaluated, so a subschema with a pattern accepts too much. Keywords that refuse a value because a
 * subschema accepts it (`not`, `oneOf`, `if`, `maxContains`) are therefore relaxed in a document that has patterns: no
 * value is refused that a complete validator accepts.
 */

import { isObject } from '../../jsonrpc/message.ts';
import { listOf } from '../json.ts';
import { quotedNames } from './engine-errors.ts';

/**
 * Value of `patternProperties` that matches every name, and so marks every property as evaluated for `unevaluatedProperties`.
 */
const everyName = { '': true };

/** Relaxes a schema in normal form, in place. `hasPatterns`: the document has a pattern anywhere. */
export function relax(schema: Record<string, unknown>, hasPatterns: boolean): void {
  if (hasPatterns) ignorePatterns(schema);
  const { properties, additionalProperties } = schema;
  if (isTrue(additionalProperties)) {
    delete schema.additionalProperties;
    schema.patternProperties = everyName;
  } else if (additionalProperties === false) {
    // A refinement replaces `additionalProperties: false`: the engine would build a regular expression of all names for every
    // value.
    delete schema.additionalProperties;
    alsoRequire(schema, { '~refine': [closed(new Set(Object.keys(Object(properties))))] });
  }
}

function ignorePatterns(schema: Record<string, unknown>): void {
  const { if: condition, then: whenTrue = true, else: whenFalse = true, oneOf, patternProperties } = schema;
  delete schema.not;
  delete schema.maxContains;
  delete schema.oneOf;
  if (oneOf !== undefined) alsoRequire(schema, { anyOf: oneOf });
  // Either branch may apply: without its patterns, the condition can hold for a value that a complete validator would not apply
  // it to.
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
  if (condition !== undefined) schema.then = { anyOf: [whenTrue, whenFalse] };
  if (patternProperties === undefined) return;
  // Any name may match a pattern, so no property is known to be an additional one.
  delete schema.additionalProperties;
  schema.patternProperties = everyName;
}

function alsoRequire(schema: Record<string, unknown>, more: object): void {
  schema.allOf = [...listOf(schema.allOf), more];
}

function isTrue(schema: unknown): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}

/** Returns a refinement that has the effect of `additionalProperties: false`. */
function closed(names: ReadonlySet<string>): object {
  const namesOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);
  return {
    check: (value: unknown): boolean => namesOf(value).every((name) => names.has(name)),
    error: (value: unknown): string =>
      `must not have additional properties: ${quotedNames(namesOf(value).filter((name) => !names.has(name)))}`,
  };
}
