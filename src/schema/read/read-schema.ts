/** Parses a JSON Schema object: validates its keywords, bounds its size and resolves its references. */

import { isObject } from '../../jsonrpc/message.ts';
import { type JsonObject, shorten } from '../json.ts';
import { pointer } from '../json-pointer.ts';
import { MAX_DEPTH, MAX_PATTERNS, MAX_RECEIVED_NAME, MAX_SUBSCHEMAS } from '../limits.ts';
import { compilePattern } from '../redos/compile-pattern.ts';
import { type Dialect, dialectOf, subschemas, valueFault } from './keywords.ts';
import { expansionFault, References, type Resource, type Targets } from './references.ts';

/** Keywords whose values have a maximum length in received schemas, because long references take long to resolve. */
const identifiers: ReadonlySet<string> = new Set(['$id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor']);

/** An error in a schema. `path` is a JSON Pointer into the schema. */
export interface SchemaFault {
  readonly path: string;
  readonly message: string;
}

/** A JSON Schema without errors, with resolved references. */
export interface ParsedSchema {
  readonly root: JsonObject;
  readonly dialect: Dialect;
  readonly targets: Targets;
  /** True if two subschemas have the same `$dynamicAnchor`. The target of a `$dynamicRef` then depends on the dynamic scope. */
  readonly hasDynamicScope: boolean;
  /** True if the schema or any subschema has `pattern` or `patternProperties`. */
  readonly hasPatterns: boolean;
}

export type ReadResult = { readonly schema: ParsedSchema } | { readonly fault: SchemaFault };

/** Returns why a regular expression is refused; undefined if it is accepted. */
export type PatternCheck = (pattern: string) => string | undefined;

/** Called with every schema object of a document, after its subschemas. `path`: JSON Pointer of the schema object. */
export type SchemaVisitor = (schema: JsonObject, path: string) => void;

/**
 * Parses a JSON Schema, or returns its first error. Never fetches a reference, never runs a pattern. `checkPattern` is omitted
 * for received schemas: their patterns are ignored, and a name of more than `MAX_RECEIVED_NAME` characters is an error.
 */
export function readSchema(schema: unknown, checkPattern?: PatternCheck, onSchema?: SchemaVisitor): ReadResult {
  if (!isObject(schema)) return { fault: { path: '', message: 'must be an object' } };
  const dialect = schema.$schema === undefined ? '2020-12' : dialectOf(String(schema.$schema));
  if (dialect === undefined) {
    const message = `dialect not supported: ${shorten(String(schema.$schema), 100)}; use 2020-12, draft-07 or draft-06`;
    return { fault: { path: '/$schema', message } };
  }
  const reader = new SchemaReader(dialect, schema.$schema !== undefined, checkPattern, onSchema);
  const fault = reader.read(schema);
  if (fault) return { fault };
  const { targets, hasPatterns } = reader;
  const { hasDynamicScope } = reader.references;
  return { schema: { root: schema, dialect, targets, hasDynamicScope, hasPatterns } };
}

interface Reference {
  readonly from: JsonObject;
  readonly keyword: string;
  readonly ref: string;
  readonly path: string;
  readonly resource: Resource;
}

class SchemaReader {
  readonly references = new References();
  readonly targets = new Map<JsonObject, Map<string, JsonObject | boolean>>();
  hasPatterns = false;
  readonly #dialect: Dialect;
  readonly #isDialectDeclared: boolean;
  readonly #checkPattern: PatternCheck | undefined;
  readonly #onSchema: SchemaVisitor | undefined;
  readonly #schemas = new Set<JsonObject>();
  readonly #unresolved: Reference[] = [];
  readonly #patternFaults = new Map<string, string | undefined>();
  #count = 0;

  constructor(
    dialect: Dialect,
    isDialectDeclared: boolean,
    checkPattern: PatternCheck | undefined,
    onSchema: SchemaVisitor | undefined,
  ) {
    this.#dialect = dialect;
    this.#isDialectDeclared = isDialectDeclared;
    this.#checkPattern = checkPattern;
    this.#onSchema = onSchema;
  }

  read(root: JsonObject): SchemaFault | undefined {
    const resource = this.references.open(root, '', '');
    const fault = this.#schema(root, '', 0, resource);
    if (fault) return fault;
    // References are resolved last: an anchor can come after references to it. Targets under unknown keywords are parsed here.
    for (const { from, keyword, ref, path, resource: base } of this.#unresolved) {
      const target = this.references.target(ref, base);
      if ('missing' in target) {
        const external =
          'refers to another document: external references are never fetched, so put the target into $defs';
        return { path, message: target.missing === 'external' ? external : 'has no target in this schema' };
      }
      this.targets.set(from, (this.targets.get(from) ?? new Map()).set(keyword, target.schema));
      if (typeof target.schema === 'boolean' || this.#schemas.has(target.schema)) continue;
      const inside = this.#schema(target.schema, target.path, 0, target.resource);
      if (inside) return inside;
    }
    const message = expansionFault(this.#schemas, this.targets);
    return message === undefined ? undefined : { path: '', message };
  }

  #schema(schema: unknown, path: string, depth: number, outer: Resource): SchemaFault | undefined {
    if (typeof schema === 'boolean') return undefined;
    if (!isObject(schema)) return { path, message: 'must be a schema: an object, true or false' };
    if (depth > MAX_DEPTH) return { path, message: `is nested more than ${MAX_DEPTH} schemas deep` };
    if (++this.#count > MAX_SUBSCHEMAS) return { path, message: `has more than ${MAX_SUBSCHEMAS} subschemas` };
    const resource = this.#identify(schema, path, outer);
    this.#schemas.add(schema);
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined) continue;
      const at = pointer(path, keyword);
      const message = this.#nameFault(keyword) ?? valueFault(keyword, value) ?? this.#valueFault(keyword, value);
      if (message) return { path: at, message };
      if (keyword === '$ref' || keyword === '$dynamicRef') {
        this.#unresolved.push({ from: schema, keyword, ref: String(value), path: at, resource });
      }
      const fault = this.#under(keyword, value, at, depth + 1, resource);
      if (fault) return fault;
    }
    this.#onSchema?.(schema, path);
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
        // Without `$schema`, an array under `items` is accepted, because TypeBox writes tuples that way.
        if (this.#isDialectDeclared && this.#dialect === '2020-12')
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
    return identifiers.has(keyword) ? this.#nameFault(String(value)) : undefined;
  }

  #nameFault(name: string): string | undefined {
    return this.#checkPattern || name.length <= MAX_RECEIVED_NAME
      ? undefined
      : `has a name of more than ${MAX_RECEIVED_NAME} characters`;
  }

  #pattern(pattern: string, isForNames: boolean): string | undefined {
    this.hasPatterns = true;
    if (!this.#checkPattern) return undefined;
    let fault = this.#patternFaults.get(pattern);
    if (!this.#patternFaults.has(pattern)) {
      const isExcess = this.#patternFaults.size >= MAX_PATTERNS;
      fault = isExcess ? `is one of more than ${MAX_PATTERNS} patterns` : this.#checkPattern(pattern);
      this.#patternFaults.set(pattern, fault);
    }
    return fault ?? (isForNames && !compilePattern(pattern)?.unicode ? 'must be valid with the u flag' : undefined);
  }

  #identify(schema: JsonObject, path: string, outer: Resource): Resource {
    const { $id, $anchor, $dynamicAnchor, $ref } = schema;
    // In dialects before 2019-09, keywords beside a `$ref` have no effect.
    if (this.#dialect !== '2020-12' && $ref !== undefined) return outer;
    // In dialects before 2019-09, an `$id` that is only a fragment (`#name`) defines an anchor.
    const isAnchor = typeof $id === 'string' && $id.startsWith('#');
    if (isAnchor) this.references.anchor(outer, $id.slice(1), schema, false);
    const resource = typeof $id === 'string' && !isAnchor ? this.references.open(schema, path, $id, outer) : outer;
    if (typeof $anchor === 'string') this.references.anchor(resource, $anchor, schema, false);
    if (typeof $dynamicAnchor === 'string') this.references.anchor(resource, $dynamicAnchor, schema, true);
    return resource;
  }
}
