/**
 * Accepts values of simple schemas without TypeBox. Most output schemas are simple: objects and arrays of basic types. For an
 * object with one number, TypeBox took 3.6 of the 8 microseconds of a tool call within one process.
 */

import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../json.ts';

/** Returns true if the value matches the schema, false if TypeBox must decide. Takes time linear in the value's size. */
export type Accepts = (value: unknown) => boolean;

/** Keywords that do not affect the check. `$defs` and `definitions` are among them, as schemas with `$ref` need TypeBox. */
const ignored = '$schema $id $anchor $comment $defs definitions title description default examples deprecated format';
const supported = new Set(`${ignored} type enum const properties required additionalProperties items`.split(' '));

const everyValue: Accepts = () => true;

/** Returns the `Accepts` function of a schema without errors; undefined if the schema has a keyword that needs TypeBox. */
export function plainSchema(schema: unknown): Accepts | undefined {
  if (typeof schema === 'boolean') return () => schema;
  if (!isObject(schema) || !Object.keys(schema).every((keyword) => supported.has(keyword))) return undefined;
  const isType = typeCheck(schema.type);
  const isOption = optionCheck(schema);
  const isItem = schema.items === undefined ? everyValue : plainSchema(schema.items);
  const hasMembers = memberCheck(schema);
  if (!isOption || !isItem || !hasMembers) return undefined;
  return (value) => {
    if (!isType(value) || !isOption(value)) return false;
    if (Array.isArray(value)) return value.every((item) => isItem(item));
    return !isObject(value) || hasMembers(value);
  };
}

function typeCheck(type: unknown): Accepts {
  if (type === undefined) return everyValue;
  const names = new Set<unknown>([type].flat());
  if (names.size === 1 && !names.has('integer')) return (value) => typeOf(value) === type;
  return (value) => names.has(typeOf(value)) || (names.has('integer') && Number.isInteger(value));
}

/** Returns the JSON Schema type of a JSON value, never `integer`; undefined for NaN and infinite numbers. */
function typeOf(value: unknown): string | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : undefined;
  return typeof value;
}

/** Returns the check for `enum` and `const`; undefined if they contain an object or array, which only TypeBox can compare. */
function optionCheck(schema: JsonObject): Accepts | undefined {
  const lists = [schema.enum, 'const' in schema ? [schema.const] : undefined].filter(Array.isArray);
  if (lists.flat().some((option) => typeof option === 'object' && option !== null)) return undefined;
  const options = lists.map((list) => new Set<unknown>(list));
  return options.length === 0 ? everyValue : (value) => options.every((each) => each.has(value));
}

/** Returns the check for `properties`, `required` and `additionalProperties`; undefined if a subschema needs TypeBox. */
function memberCheck({ properties, required, additionalProperties }: JsonObject): Accepts | undefined {
  const checks = new Map<string, Accepts>();
  for (const [name, schema] of Object.entries(Object(properties))) {
    const check = plainSchema(schema);
    if (!check) return undefined;
    checks.set(name, check);
  }
  const isAdditional = additionalProperties === undefined ? everyValue : plainSchema(additionalProperties);
  if (!isAdditional) return undefined;
  const requiredNames = new Set<string>(Array.isArray(required) ? required : []);
  return (value) => {
    const names = Object.keys(value as JsonObject);
    // A value with fewer members than required names fails at once, so the loop is bounded by the size of the value.
    if (requiredNames.size > names.length) return false;
    for (const name of requiredNames) if (!Object.hasOwn(value as JsonObject, name)) return false;
    return names.every((name) => (checks.get(name) ?? isAdditional)((value as JsonObject)[name]));
  };
}
