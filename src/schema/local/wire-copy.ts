import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../json.ts';
import { pointer } from '../json-pointer.ts';
import { MAX_COPIED_SCHEMAS, MAX_COPY_DEPTH } from '../limits.ts';
import { subschemas, valueFault } from '../read/keywords.ts';
import { Unconvertible } from './libraries.ts';

/**
 * Copies an author's schema as JSON: without symbols, functions and the members of libraries (`~kind`). Arrays under
 * `items`, which TypeBox writes for tuples, become `prefixItems`, since a schema without `$schema` is 2020-12.
 *
 * In a schema that is written by hand, the value of every keyword is checked: throws `Unconvertible` with the path of the first error.
 * References are not resolved here.
 */
export function wireCopy(schema: JsonObject, isHandWritten = false): JsonObject {
  const declared = schema.$schema !== undefined;
  let copied = 0;
  return copy(schema, '', 0);

  function copy(from: JsonObject, path: string, depth: number): JsonObject {
    if (depth > MAX_COPY_DEPTH || ++copied > MAX_COPIED_SCHEMAS)
      throw new Unconvertible('is nested too deep, or contains itself', path);
    const entries: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(from)) {
      if (keyword.startsWith('~') || value === undefined || typeof value === 'function') continue;
      const at = pointer(path, keyword);
      const written = under(keyword, value, at, depth + 1);
      refuseIf(valueFault(keyword, written), at);
      entries.push([keyword, written]);
    }
    // Defines own members, also one named `__proto__`.
    const to: JsonObject = Object.fromEntries(entries);
    if (!declared && Array.isArray(to.items)) {
      const { items, additionalItems, ...rest } = to;
      Object.assign(rest, { prefixItems: items }, additionalItems !== undefined && { items: additionalItems });
      return withRefinements(from, rest);
    }
    return withRefinements(from, to);
  }

  function under(keyword: string, value: unknown, path: string, depth: number): unknown {
    const holds = subschemas.get(keyword);
    const each = (schema: unknown, key: PropertyKey): unknown => subschema(schema, pointer(path, key), depth);
    if (keyword === 'pattern' && value instanceof RegExp) return value.source;
    if (holds === 'schema' || (holds === 'items' && !Array.isArray(value))) return subschema(value, path, depth);
    if ((holds === 'schemas' || holds === 'items') && Array.isArray(value)) return value.map(each);
    if (holds === 'dependencies' && isObject(value)) {
      return mapped(value, (member, name) =>
        Array.isArray(member) ? names(member, pointer(path, name)) : each(member, name),
      );
    }
    if (holds === 'named-schemas' && isObject(value)) return mapped(value, each);
    if (holds) refuseIf(`must be an ${holds === 'schemas' ? 'array' : 'object'} of schemas`, path);
    return plain(value, path);
  }

  function names(list: readonly unknown[], path: string): unknown {
    refuseIf(valueFault('required', list), path);
    return plain(list, path);
  }

  function subschema(value: unknown, path: string, depth: number): unknown {
    if (isObject(value)) return copy(value, path, depth);
    if (typeof value !== 'boolean') refuseIf('must be a schema: an object, true or false', path);
    return plain(value, path);
  }

  function refuseIf(fault: string | undefined, path: string): void {
    if (isHandWritten && fault !== undefined) throw new Unconvertible(fault, path);
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

/** Copies TypeBox's refinements, which are functions, as a member that `JSON.stringify` skips. */
function withRefinements(from: JsonObject, to: JsonObject): JsonObject {
  if (!Array.isArray(from['~refine'])) return to;
  return Object.defineProperty(to, '~refine', { value: from['~refine'], enumerable: false });
}
