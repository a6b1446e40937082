/** Finds likely mistakes in a valid raw JSON Schema: misspelled keywords and property names. */

import { closest } from '../../jsonrpc/closest.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../json.ts';
import { pointer } from '../json-pointer.ts';
import { MAX_DEPTH } from '../limits.ts';
import { keywordsWithValues, subschemas } from '../read/keywords.ts';
import type { SchemaFault } from '../read/read-schema.ts';

/** Minimum length of a name that is compared with keywords, in characters: shorter names resemble too many of them. */
const MIN_NAME = 6;

const KEYWORDS: readonly string[] = [...subschemas.keys(), ...keywordsWithValues, 'const', 'default', '$vocabulary'];
/** Names that are not reported as misspelled: the keywords, and those of OpenAPI that resemble them. */
const OTHERS: ReadonlySet<string> = new Set([...KEYWORDS, 'example', 'nullable']);
/** Keywords that permit properties beyond those in `properties`. */
const OPEN = ['patternProperties', 'additionalProperties', 'unevaluatedProperties', '$ref', '$dynamicRef'];
const COMBINING = ['allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies'];

/** Returns the likely mistakes of a schema, each with its path. */
export function suspiciousKeywords(schema: JsonObject, path = '', depth = 0): SchemaFault[] {
  if (depth > MAX_DEPTH) return [];
  const faults: SchemaFault[] = missingProperties(schema).map((name) => ({
    path: `${path}/required`,
    message: `"${name}" is not one of the properties`,
  }));
  for (const [keyword, value] of Object.entries(schema)) {
    const at = pointer(path, keyword);
    const meant = meantBy(keyword);
    if (meant !== undefined) {
      const message = `JSON Schema has no such keyword, so it has no effect; did you mean "${meant}"?`;
      faults.push({ path: at, message });
    }
    for (const [below, part] of subschemasOf(keyword, value, at)) {
      faults.push(...suspiciousKeywords(part, below, depth + 1));
    }
  }
  return faults;
}

function meantBy(keyword: string): string | undefined {
  return keyword.length < MIN_NAME || OTHERS.has(keyword) ? undefined : closest(keyword, KEYWORDS);
}

function missingProperties(schema: JsonObject): string[] {
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return [];
  const isOpen = OPEN.some((keyword) => schema[keyword] !== undefined && schema[keyword] !== false);
  if (isOpen || COMBINING.some((keyword) => schema[keyword] !== undefined)) return [];
  return required.filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
}

/** Returns the subschemas of a keyword, each with its path. */
function subschemasOf(keyword: string, value: unknown, path: string): [string, JsonObject][] {
  const holds = subschemas.get(keyword);
  if (holds === undefined || typeof value !== 'object' || value === null) return [];
  if (isObject(value) && (holds === 'schema' || holds === 'items')) return [[path, value]];
  return Object.entries(value)
    .filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    .map(([name, part]) => [pointer(path, name), part]);
}
