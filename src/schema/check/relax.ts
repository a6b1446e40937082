/**
 * Removes patterns, which can take exponential time, from a received schema. A subschema without patterns accepts too many
 * values, so keywords that refuse what it accepts (`not`, `oneOf`, `if`, `maxContains`) are relaxed to refuse no valid value.
 */

import { isObject } from '../../jsonrpc/message.ts';
import { listOf } from '../json.ts';
import { quotedNames } from './problem-messages.ts';

/** Value of `patternProperties` that matches every name, so that `unevaluatedProperties` applies to no property. */
const everyName = { '': true };

/** Rewrites one schema of a received document in place, not its subschemas. `hasPatterns`: the document has a pattern. */
export function relax(schema: Record<string, unknown>, hasPatterns: boolean): void {
  if (hasPatterns) ignorePatterns(schema);
  const { properties, additionalProperties } = schema;
  if (isTrue(additionalProperties)) {
    delete schema.additionalProperties;
    schema.patternProperties = everyName;
  } else if (additionalProperties === false) {
    // A TypeBox refinement replaces `additionalProperties: false`, because TypeBox builds a regular expression per value.
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
  // Without its patterns, `if` can accept too many values, so a value that `if` accepts need only match `then` or `else`.
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
  if (condition !== undefined) schema.then = { anyOf: [whenTrue, whenFalse] };
  if (patternProperties === undefined) return;
  // Patterns are not evaluated: any name could match `patternProperties`, so no property is certain to be additional.
  delete schema.additionalProperties;
  schema.patternProperties = everyName;
}

function alsoRequire(schema: Record<string, unknown>, more: object): void {
  schema.allOf = [...listOf(schema.allOf), more];
}

function isTrue(schema: unknown): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}

/** Returns a TypeBox refinement that refuses members not in `names`, as `additionalProperties: false` does. */
function closed(names: ReadonlySet<string>): object {
  const namesOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);
  return {
    check: (value: unknown): boolean => namesOf(value).every((name) => names.has(name)),
    error: (value: unknown): string =>
      `must not have additional properties: ${quotedNames(namesOf(value).filter((name) => !names.has(name)))}`,
  };
}
