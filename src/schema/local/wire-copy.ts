import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../json.ts';
import { pointer } from '../json-pointer.ts';
import { MAX_COPIED_SCHEMAS, MAX_COPY_DEPTH } from '../limits.ts';
import { subschemas } from '../read/keywords.ts';
import { Unconvertible } from './libraries.ts';

/**
 * Copies an application's schema as JSON, without symbols, functions and members of TypeBox (`~kind`). If the schema has no
 * `$schema`, an array under `items` (a tuple of TypeBox) becomes `prefixItems`, as the default dialect 2020-12 requires.
 * Keywords with invalid values are copied unchanged; `readSchema` reports them.
 */
export function wireCopy(schema: JsonObject): JsonObject {
  const declared = schema.$schema !== undefined;
  let copied = 0;
  return copy(schema, '', 0);

  function copy(from: JsonObject, path: string, depth: number): JsonObject {
    if (depth > MAX_COPY_DEPTH)
      throw new Unconvertible(`has schemas more than ${MAX_COPY_DEPTH} levels deep, or contains itself`, path);
    if (++copied > MAX_COPIED_SCHEMAS) throw new Unconvertible(`has more than ${MAX_COPIED_SCHEMAS} schemas`, path);
    const entries: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(from)) {
      if (keyword.startsWith('~') || value === undefined || typeof value === 'function') continue;
      entries.push([keyword, under(keyword, value, pointer(path, keyword), depth + 1)]);
    }
    // `Object.fromEntries` defines an own member even for `__proto__`; an assignment would set the prototype.
    const to: JsonObject = Object.fromEntries(entries);
    if (declared || !Array.isArray(to.items)) return withRefinements(from, to);
    const { items, additionalItems, ...rest } = to;
    Object.assign(rest, { prefixItems: items }, additionalItems !== undefined && { items: additionalItems });
    return withRefinements(from, rest);
  }

  function under(keyword: string, value: unknown, path: string, depth: number): unknown {
    const holds = subschemas.get(keyword);
    const each = (schema: unknown, key: PropertyKey): unknown => subschema(schema, pointer(path, key), depth);
    if (keyword === 'pattern' && value instanceof RegExp) return value.source;
    if (holds === 'schema' || (holds === 'items' && !Array.isArray(value))) return subschema(value, path, depth);
    if ((holds === 'schemas' || holds === 'items') && Array.isArray(value)) return value.map(each);
    if ((holds === 'named-schemas' || holds === 'dependencies') && isObject(value)) return mapped(value, each);
    return plain(value, path);
  }

  function subschema(value: unknown, path: string, depth: number): unknown {
    return isObject(value) ? copy(value, path, depth) : plain(value, path);
  }
}

function mapped(object: JsonObject, each: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, each(value, name)]));
}

function plain(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? Number(value) : value;
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    throw new Unconvertible('must be JSON', path);
  }
}

/** Keeps TypeBox's refinement functions (`~refine`) in the copy, as a non-enumerable member, which `JSON.stringify` skips. */
function withRefinements(from: JsonObject, to: JsonObject): JsonObject {
  if (!Array.isArray(from['~refine'])) return to;
  return Object.defineProperty(to, '~refine', { value: from['~refine'], enumerable: false });
}
