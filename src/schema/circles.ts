/** References that go round in circles, found before anybody follows them. */

import { isObject } from '../jsonrpc/message.ts';
import type { JsonObject } from './json.ts';
import { subschemas } from './keywords.ts';

/** Keywords that look at the same value as the schema they stand in: following them alone never gets anywhere. */
const inPlace: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);

const longestWay = 200;

/** Where the references of a schema lead, by the schema they stand in and the keyword (`$ref`, `$dynamicRef`). */
export type Targets = ReadonlyMap<JsonObject, ReadonlyMap<string, JsonObject | boolean>>;

/**
 * References that lead back to where they started without having looked at a part of the value would be followed for
 * ever, and a very long way of them would exhaust the stack.
 */
export function leadInCircle(schemas: Iterable<JsonObject>, targets: Targets): boolean {
  const lengths = new Map<JsonObject, number>();
  const open = new Set<JsonObject>();

  function lengthFrom(schema: unknown, depth: number): number {
    if (!isObject(schema)) return 0;
    if (open.has(schema) || depth > longestWay) return Number.POSITIVE_INFINITY;
    let longest = lengths.get(schema);
    if (longest === undefined) {
      open.add(schema);
      longest = 0;
      for (const next of samePlace(schema, targets)) longest = Math.max(longest, 1 + lengthFrom(next, depth + 1));
      open.delete(schema);
      lengths.set(schema, longest);
    }
    return depth + longest > longestWay ? Number.POSITIVE_INFINITY : longest;
  }

  for (const schema of schemas) {
    if (lengthFrom(schema, 0) > longestWay) return true;
  }
  return false;
}

/** The schemas that look at the same value as this one. */
function* samePlace(schema: JsonObject, targets: Targets): Generator<unknown> {
  yield* targets.get(schema)?.values() ?? [];
  for (const keyword of inPlace) {
    const value = schema[keyword];
    if (subschemas.get(keyword) === 'schema') yield value;
    else if (typeof value === 'object' && value !== null) yield* Object.values(value);
  }
}
