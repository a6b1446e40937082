/** Finds likely mistakes in a valid JSON Schema: misspelled keywords, and names in `required` that `properties` lacks. */

import { closest } from '../../jsonrpc/closest.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../json.ts';
import { pointer } from '../json-pointer.ts';
import { keywordsWithValues, subschemas } from '../read/keywords.ts';
import type { SchemaFault } from '../read/read-schema.ts';

/** Minimum length of an unknown keyword that is compared with known keywords, in characters. Short ones resemble too many. */
const MIN_NAME = 6;

const KEYWORDS: readonly string[] = [...subschemas.keys(), ...keywordsWithValues, 'const', 'default', '$vocabulary'];
/** Names that are never reported as misspelled: JSON Schema keywords, and OpenAPI keywords that resemble them. */
const KNOWN: ReadonlySet<string> = new Set([...KEYWORDS, 'example', 'nullable']);
/** Keywords that can allow members beyond `properties`. If one is present, `required` is not compared with `properties`. */
const OPEN = ['patternProperties', 'additionalProperties', 'unevaluatedProperties', '$ref', '$dynamicRef'];
const COMBINING = ['allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies'];

/** Returns the likely mistakes in one schema, not in its subschemas. `path`: JSON Pointer of the schema. */
export function suspiciousKeywords(schema: JsonObject, path: string): SchemaFault[] {
  const missing = missingProperties(schema).map((name) => ({
    path: `${path}/required`,
    message: `"${name}" is not one of the properties`,
  }));
  const misspelled = Object.keys(schema).flatMap((keyword) => {
    const meant = meantBy(keyword);
    if (meant === undefined) return [];
    const message = `JSON Schema has no such keyword, so it has no effect; did you mean "${meant}"?`;
    return [{ path: pointer(path, keyword), message }];
  });
  return [...missing, ...misspelled];
}

function meantBy(keyword: string): string | undefined {
  return keyword.length < MIN_NAME || KNOWN.has(keyword) ? undefined : closest(keyword, KEYWORDS);
}

function missingProperties(schema: JsonObject): string[] {
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return [];
  const isOpen = OPEN.some((keyword) => schema[keyword] !== undefined && schema[keyword] !== false);
  if (isOpen || COMBINING.some((keyword) => schema[keyword] !== undefined)) return [];
  return required.filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
}
