/** Resolves the references of a schema to targets in the same document. Never fetches a document. */

import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../json.ts';
import { unescaped } from '../json-pointer.ts';
import { MAX_CHAIN, MAX_EXPANDED } from '../limits.ts';
import { subschemas } from './keywords.ts';

/** A JSON Schema resource: the document, or a subschema with its own `$id`. References inside a resource are relative to it. */
export interface Resource {
  readonly uri: string;
  readonly path: string;
  readonly root: JsonObject;
  readonly anchors: Map<string, JsonObject>;
}

export type Target =
  | { readonly schema: JsonObject | boolean; readonly path: string; readonly resource: Resource }
  | { readonly missing: 'external' | 'unresolved' };

/** Resolved references: for each schema with references, a map from the keyword (`$ref`, `$dynamicRef`) to the target. */
export type Targets = ReadonlyMap<JsonObject, ReadonlyMap<string, JsonObject | boolean>>;

/** Collects the schema resources and anchors of one document, and resolves references to them. */
export class References {
  readonly #resources = new Map<string, Resource>();
  readonly #dynamicAnchors = new Set<string>();
  /** True if two subschemas have the same `$dynamicAnchor`. The target of a `$dynamicRef` then depends on the dynamic scope. */
  hasDynamicScope = false;

  /** Registers a schema resource, unless its URI is already registered. `id`: value of `$id`, empty for the whole document. */
  open(root: JsonObject, path: string, id: string, outer?: Resource): Resource {
    const uri = withoutFragment(resolve(id, outer?.uri ?? 'schema://document/') ?? `schema://document${path}`);
    const resource: Resource = { uri, path, root, anchors: new Map() };
    if (!this.#resources.has(uri)) this.#resources.set(uri, resource);
    return resource;
  }

  anchor(resource: Resource, name: string, schema: JsonObject, dynamic: boolean): void {
    resource.anchors.set(name, schema);
    if (!dynamic) return;
    if (this.#dynamicAnchors.has(name)) this.hasDynamicScope = true;
    this.#dynamicAnchors.add(name);
  }

  target(ref: string, from: Resource): Target {
    const hash = ref.indexOf('#');
    const uri = hash === 0 || ref === '' ? from.uri : withoutFragment(resolve(ref, from.uri) ?? ref);
    const resource = uri === from.uri ? from : this.#resources.get(uri);
    if (resource === undefined) return { missing: 'external' };
    const fragment = decode(hash < 0 ? '' : ref.slice(hash + 1));
    if (fragment === undefined) return { missing: 'unresolved' };
    if (fragment === '') return { schema: resource.root, path: resource.path, resource };
    if (fragment.startsWith('/')) return follow(resource, fragment);
    const schema = resource.anchors.get(fragment);
    return schema === undefined
      ? { missing: 'unresolved' }
      : { schema, path: `${resource.path}#${fragment}`, resource };
  }
}

function follow(resource: Resource, fragment: string): Target {
  let found: unknown = resource.root;
  for (const token of fragment.slice(1).split('/')) {
    const key = unescaped(token);
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return { missing: 'unresolved' };
    found = (found as JsonObject)[key];
  }
  if (!isObject(found) && typeof found !== 'boolean') return { missing: 'unresolved' };
  return { schema: found, path: resource.path + fragment, resource };
}

function resolve(uri: string, base: string): string | undefined {
  return URL.canParse(uri, base) ? new URL(uri, base).href : undefined;
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash < 0 ? uri : uri.slice(0, hash);
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** Keywords whose subschemas apply to the same value as the parent schema (in-place applicators). */
const inPlace = 'allOf anyOf oneOf not if then else dependentSchemas dependencies'.split(' ');

interface Expansion {
  /** Number of steps in the longest chain of in-place subschemas (`allOf`, ...) and references that starts at a schema. */
  readonly length: number;
  /** Number of schemas that a value is checked against if one schema applies to it. A target of two references counts twice. */
  readonly size: number;
}

const unbounded: Expansion = { length: Number.POSITIVE_INFINITY, size: Number.POSITIVE_INFINITY };

/**
 * Returns an error message if references form a cycle or a chain longer than `MAX_CHAIN`, or if more than `MAX_EXPANDED`
 * subschemas apply to one value. The number is exponential if each schema of a chain references the next one twice.
 */
export function expansionFault(schemas: Iterable<JsonObject>, targets: Targets): string | undefined {
  const known = new Map<JsonObject, Expansion>();
  const open = new Set<JsonObject>();

  function expand(schema: unknown, depth: number): Expansion {
    if (!isObject(schema)) return { length: 0, size: 1 };
    if (open.has(schema) || depth > MAX_CHAIN) return unbounded;
    let expansion = known.get(schema);
    if (expansion === undefined) {
      open.add(schema);
      let [length, size] = [0, 1];
      for (const next of appliedInPlace(schema, targets)) {
        const below = expand(next, depth + 1);
        length = Math.max(length, 1 + below.length);
        size += below.size;
      }
      open.delete(schema);
      expansion = { length, size };
      known.set(schema, expansion);
    }
    return depth + expansion.length > MAX_CHAIN ? unbounded : expansion;
  }

  for (const schema of schemas) {
    const { length, size } = expand(schema, 0);
    if (length > MAX_CHAIN) return `has references in a cycle, or more than ${MAX_CHAIN} of them in a chain`;
    if (size > MAX_EXPANDED) return `applies more than ${MAX_EXPANDED} subschemas to one value`;
  }
  return undefined;
}

function* appliedInPlace(schema: JsonObject, targets: Targets): Generator<unknown> {
  yield* targets.get(schema)?.values() ?? [];
  for (const keyword of inPlace) {
    const value = schema[keyword];
    if (subschemas.get(keyword) === 'schema') {
      if (value !== undefined) yield value;
    } else if (typeof value === 'object' && value !== null) yield* Object.values(value);
  }
}
