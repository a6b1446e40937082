/** Goes over a raw JSON Schema before anybody trusts it. */

import { isObject } from '../jsonrpc/message.ts';
import { leadInCircle, type Targets } from './circles.ts';
import { type Dialect, dialectOf } from './dialects.ts';
import { type JsonObject, shorten } from './json.ts';
import { valueFault } from './keyword-values.ts';
import { subschemas } from './keywords.ts';
import { pointer } from './pointer.ts';
import { References, type Resource } from './references.ts';

const maxDepth = 32;
const maxSubschemas = 10_000;
const maxPatterns = 200;
/** Characters of a name in a received schema. */
const maxName = 1024;

/** Keywords whose values are resolved as references: each costs as much as the names of its parents are long. */
const naming: ReadonlySet<string> = new Set(['$id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor']);

/** What is wrong with a schema, and where in it (a JSON Pointer). */
export interface SchemaFault {
  readonly path: string;
  readonly message: string;
}

/** A schema that may be used: its dialect, and where each of its references leads. */
export interface SchemaDocument {
  readonly root: JsonObject;
  readonly dialect: Dialect;
  readonly targets: Targets;
  readonly hasDynamicScope: boolean;
  /** There is a `pattern` or `patternProperties` somewhere in it. */
  readonly hasPatterns: boolean;
  /** What each schema is part of. */
  readonly resources: ReadonlyMap<JsonObject, Resource>;
}

/** What was read, or why it cannot be used. */
export type Read = { readonly document: SchemaDocument } | { readonly fault: SchemaFault };

/** Says of a pattern why it is not used, or nothing. */
export type PatternFault = (pattern: string) => string | undefined;

/**
 * Reads a JSON Schema before it is used: returns the first fault, or what is in it. Never fetches, never runs a pattern.
 * Without `faultOf` the schema is one of the peer: its patterns are not read, and its names have at most 1,024 characters.
 */
export function readSchema(schema: unknown, faultOf?: PatternFault): Read {
  if (!isObject(schema)) return { fault: { path: '', message: 'must be an object' } };
  const dialect = schema.$schema === undefined ? '2020-12' : dialectOf(String(schema.$schema));
  if (dialect === undefined) {
    const message = `dialect not supported: ${shorten(String(schema.$schema), 100)}; use 2020-12, draft-07 or draft-06`;
    return { fault: { path: '/$schema', message } };
  }
  const walk = new Walk(dialect, schema.$schema !== undefined, faultOf);
  const fault = walk.document(schema);
  if (fault) return { fault };
  const { targets, resources, hasPatterns } = walk;
  const { hasDynamicScope } = walk.references;
  return { document: { root: schema, dialect, targets, hasDynamicScope, hasPatterns, resources } };
}

interface Reference {
  readonly from: JsonObject;
  readonly keyword: string;
  readonly ref: string;
  readonly path: string;
  readonly resource: Resource;
}

class Walk {
  readonly references = new References();
  readonly targets = new Map<JsonObject, Map<string, JsonObject | boolean>>();
  readonly #dialect: Dialect;
  readonly #declared: boolean;
  readonly resources = new Map<JsonObject, Resource>();
  readonly #faultOf: PatternFault | undefined;
  readonly #found: Reference[] = [];
  readonly #patterns = new Map<string, string | undefined>();
  hasPatterns = false;
  #count = 0;

  constructor(dialect: Dialect, declared: boolean, faultOf: PatternFault | undefined) {
    this.#faultOf = faultOf;
    this.#dialect = dialect;
    this.#declared = declared;
  }

  document(root: JsonObject): SchemaFault | undefined {
    const resource = this.references.open(root, '', '');
    const fault = this.#schema(root, '', 0, resource);
    if (fault) return fault;
    // Anchors may stand after the references to them, and a reference may lead to a place no keyword leads to.
    for (const { from, keyword, ref, path, resource: base } of this.#found) {
      const target = this.references.target(ref, base);
      if ('missing' in target) {
        const external = 'leads outside this schema: external references are never fetched';
        return { path, message: target.missing === 'external' ? external : 'leads nowhere in this schema' };
      }
      this.targets.set(from, (this.targets.get(from) ?? new Map()).set(keyword, target.schema));
      if (typeof target.schema === 'boolean' || this.resources.has(target.schema)) continue;
      const inside = this.#schema(target.schema, target.path, 0, target.resource);
      if (inside) return inside;
    }
    if (leadInCircle(this.resources.keys(), this.targets))
      return { path: '', message: 'has references that lead in a circle' };
    return undefined;
  }

  #schema(schema: unknown, path: string, depth: number, outer: Resource): SchemaFault | undefined {
    if (typeof schema === 'boolean') return undefined;
    if (!isObject(schema)) return { path, message: 'must be a schema: an object, true or false' };
    if (depth > maxDepth) return { path, message: `is nested more than ${maxDepth} schemas deep` };
    if (++this.#count > maxSubschemas) return { path, message: `has more than ${maxSubschemas} subschemas` };
    const resource = this.#identify(schema, path, outer);
    this.resources.set(schema, resource);
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined) continue;
      const at = pointer(path, keyword);
      const message = this.#nameFault(keyword) ?? valueFault(keyword, value) ?? this.#valueFault(keyword, value);
      if (message) return { path: at, message };
      if (keyword === '$ref' || keyword === '$dynamicRef') {
        this.#found.push({ from: schema, keyword, ref: String(value), path: at, resource });
      }
      const fault = this.#under(keyword, value, at, depth + 1, resource);
      if (fault) return fault;
    }
    return undefined;
  }

  #under(keyword: string, value: unknown, path: string, depth: number, resource: Resource): SchemaFault | undefined {
    switch (subschemas.get(keyword)) {
      case 'schema':
        return this.#schema(value, path, depth, resource);
      case 'schemas':
        return this.#each(value, path, depth, resource);
      case 'items':
        if (!Array.isArray(value)) return this.#schema(value, path, depth, resource);
        // Undeclared, the array form is let pass: TypeBox still writes its tuples so.
        if (this.#declared && this.#dialect === '2020-12')
          return { path, message: 'must be a schema: use prefixItems' };
        return this.#each(value, path, depth, resource);
      case 'named-schemas':
      case 'dependencies':
        return this.#named(keyword, value, path, depth, resource);
      case undefined:
        return undefined;
    }
  }

  #each(value: unknown, path: string, depth: number, resource: Resource): SchemaFault | undefined {
    if (!Array.isArray(value)) return { path, message: 'must be an array of schemas' };
    for (const [index, each] of value.entries()) {
      const fault = this.#schema(each, pointer(path, index), depth, resource);
      if (fault) return fault;
    }
    return undefined;
  }

  #named(keyword: string, value: unknown, path: string, depth: number, resource: Resource): SchemaFault | undefined {
    if (!isObject(value)) return { path, message: 'must be an object of schemas' };
    for (const [name, each] of Object.entries(value)) {
      const at = pointer(path, name);
      const tooLong = this.#nameFault(name);
      if (tooLong) return { path: at, message: tooLong };
      if (keyword === 'dependencies' && Array.isArray(each)) {
        const message = valueFault('required', each);
        if (message) return { path: at, message };
        continue;
      }
      if (keyword === 'patternProperties') {
        const message = this.#pattern(name, true);
        if (message) return { path: at, message };
      }
      const fault = this.#schema(each, at, depth, resource);
      if (fault) return fault;
    }
    return undefined;
  }

  #valueFault(keyword: string, value: unknown): string | undefined {
    if (keyword === 'pattern') return this.#pattern(String(value), false);
    return naming.has(keyword) ? this.#nameFault(String(value)) : undefined;
  }

  #nameFault(name: string): string | undefined {
    return this.#faultOf || name.length <= maxName ? undefined : `has a name of more than ${maxName} characters`;
  }

  #pattern(pattern: string, isOfNames: boolean): string | undefined {
    this.hasPatterns = true;
    if (!this.#faultOf) return undefined;
    let fault = this.#patterns.get(pattern);
    if (!this.#patterns.has(pattern)) {
      // Reading a pattern is the one check that costs milliseconds.
      fault =
        this.#patterns.size < maxPatterns ? this.#faultOf(pattern) : `is one of more than ${maxPatterns} patterns`;
      this.#patterns.set(pattern, fault);
    }
    return fault ?? (isOfNames && !isUnicode(pattern) ? 'must be valid with the u flag' : undefined);
  }

  #identify(schema: JsonObject, path: string, outer: Resource): Resource {
    const { $id, $anchor, $dynamicAnchor, $ref } = schema;
    // There, nothing beside a `$ref` counts.
    if (this.#dialect !== '2020-12' && $ref !== undefined) return outer;
    // Before 2020-12 an anchor was written as an `$id` of a mere fragment.
    const isAnchor = typeof $id === 'string' && $id.startsWith('#');
    if (isAnchor) this.references.anchor(outer, $id.slice(1), schema, false);
    const resource = typeof $id === 'string' && !isAnchor ? this.references.open(schema, path, $id, outer) : outer;
    if (typeof $anchor === 'string') this.references.anchor(resource, $anchor, schema, false);
    if (typeof $dynamicAnchor === 'string') this.references.anchor(resource, $dynamicAnchor, schema, true);
    return resource;
  }
}

function isUnicode(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
