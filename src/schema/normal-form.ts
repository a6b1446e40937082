/** One way to write every dialect of JSON Schema, for the engine. */

import { isObject } from '../jsonrpc/message.ts';
import { canonical } from './equal.ts';
import type { JsonObject } from './json.ts';
import { subschemas } from './keywords.ts';
import { compilePattern } from './pattern.ts';
import type { SchemaDocument } from './walker.ts';

/** A schema as the engine reads it best. */
export interface NormalForm {
  readonly schema: JsonObject;
  /** The schema asks for members whose names every object inherits, such as `toString`. */
  readonly asksForInherited: boolean;
}

/** Keywords that only say something to people, or that are rewritten below. */
const leftOut = new Set('$schema $defs definitions $comment title description default examples deprecated'.split(' '));
const written = new Set('$ref $dynamicRef items additionalItems dependencies pattern uniqueItems format'.split(' '));
const rules = new Set(
  (
    'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength maxItems minItems ' +
    'maxContains minContains maxProperties minProperties required dependentRequired'
  ).split(' '),
);
const naming = new Set(['$id', '$anchor', '$dynamicAnchor', '$defs', 'definitions']);
const conditional = new Set(['if', 'then', 'else']);

/**
 * Rewrites a schema of any supported draft into one plain form of 2020-12: only keywords that check something, arrays of
 * `items` as `prefixItems`, every reference as `#` or `#/$defs/n`. So the engine needs neither to know the drafts nor to
 * search the document for every reference it follows, and sees nothing the walker has not seen.
 */
export function toNormalForm(document: SchemaDocument): NormalForm {
  const writer = new Writer(document);
  return { schema: writer.document(), asksForInherited: writer.asksForInherited };
}

class Writer {
  readonly #document: SchemaDocument;
  readonly #numbers = new Map<JsonObject, number>();
  asksForInherited = false;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  document(): JsonObject {
    const root = this.#object(this.#document.root);
    const $defs: [string, unknown][] = [];
    // Writing one target may number others; a Map hands those out too.
    for (const [target, number] of this.#numbers) $defs.push([String(number), this.#object(target)]);
    root.$schema = 'https://json-schema.org/draft/2020-12/schema';
    if ($defs.length > 0 && !this.#document.hasDynamicScope) root.$defs = Object.fromEntries($defs);
    return root;
  }

  #schema(schema: unknown): unknown {
    return isObject(schema) ? this.#object(schema) : schema;
  }

  #object(schema: JsonObject): Record<string, unknown> {
    const { dialect, hasDynamicScope } = this.#document;
    const result: Record<string, unknown> = {};
    this.#references(schema, result);
    // Until 2019-09 a `$ref` stood alone: whatever was beside it did not count.
    if (dialect !== '2020-12' && schema.$ref !== undefined) return result;
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined || written.has(keyword)) continue;
      // Names are kept only where the way to an anchor matters.
      if (hasDynamicScope && naming.has(keyword)) result[keyword] = this.#under(keyword, value);
      else if (leftOut.has(keyword) || (dialect === 'draft-06' && conditional.has(keyword))) continue;
      else if (rules.has(keyword) || subschemas.has(keyword)) result[keyword] = this.#under(keyword, value);
    }
    this.#arrays(schema, result);
    this.#strings(schema, result);
    this.#dependencies(schema, result);
    this.#refinements(schema, result);
    this.#noteNames(result);
    return result;
  }

  #under(keyword: string, value: unknown): unknown {
    const holds = subschemas.get(keyword);
    if (holds === 'schema') return this.#schema(value);
    if (holds === 'schemas' && Array.isArray(value)) return value.map((each) => this.#schema(each));
    if (holds === 'named-schemas' && isObject(value)) return this.#named(Object.entries(value));
    return value;
  }

  #named(entries: [string, unknown][]): JsonObject {
    return Object.fromEntries(entries.map(([name, each]) => [name, this.#schema(each)]));
  }

  #references(schema: JsonObject, result: Record<string, unknown>): void {
    for (const [keyword, target] of this.#document.targets.get(schema) ?? []) {
      if (this.#document.hasDynamicScope) result[keyword] = schema[keyword];
      else if (result.$ref === undefined) result.$ref = this.#reference(target);
      else result.allOf = [{ $ref: this.#reference(target) }];
    }
  }

  #reference(target: JsonObject | boolean): string {
    if (target === this.#document.root) return '#';
    // True and false have no identity of their own; these two say the same.
    const schema = typeof target === 'boolean' ? (target ? anything : nothing) : target;
    if (!this.#numbers.has(schema)) this.#numbers.set(schema, this.#numbers.size);
    return `#/$defs/${this.#numbers.get(schema)}`;
  }

  #arrays(schema: JsonObject, result: Record<string, unknown>): void {
    const { items, additionalItems } = schema;
    if (Array.isArray(items)) {
      result.prefixItems = items.map((each) => this.#schema(each));
      if (additionalItems !== undefined) result.items = this.#schema(additionalItems);
    } else if (items !== undefined) {
      result.items = this.#schema(items);
    }
    delete result.additionalItems;
  }

  #strings(schema: JsonObject, result: Record<string, unknown>): void {
    if (typeof schema.pattern === 'string') result.pattern = compilePattern(schema.pattern);
    if (schema.format !== undefined) result.format = schema.format;
  }

  #dependencies(schema: JsonObject, result: Record<string, unknown>): void {
    if (!isObject(schema.dependencies)) return;
    const entries = Object.entries(schema.dependencies);
    const required = entries.filter(([, each]) => Array.isArray(each));
    const schemas = entries.filter(([, each]) => !Array.isArray(each));
    const { dependentRequired, dependentSchemas } = result;
    if (required.length > 0)
      result.dependentRequired = { ...Object(dependentRequired), ...Object.fromEntries(required) };
    if (schemas.length > 0) result.dependentSchemas = { ...Object(dependentSchemas), ...this.#named(schemas) };
  }

  #refinements(schema: JsonObject, result: Record<string, unknown>): void {
    const own = schema['~refine'];
    const refinements = Array.isArray(own) ? [...own] : [];
    // The engine's own way to name duplicates takes the square of their number.
    if (schema.uniqueItems === true) refinements.push(unique);
    if (refinements.length > 0) result['~refine'] = refinements;
  }

  #noteNames(schema: JsonObject): void {
    const { properties, required, dependentRequired, dependentSchemas } = schema;
    const names = [properties, dependentRequired, dependentSchemas].flatMap((each) => Object.keys(Object(each)));
    if (Array.isArray(required)) names.push(...required);
    if (isObject(dependentRequired)) names.push(...Object.values(dependentRequired).flat().map(String));
    if (names.some((name) => name in Object.prototype)) this.asksForInherited = true;
  }
}

const anything: JsonObject = {};
const nothing: JsonObject = { not: {} };

const unique = {
  check: (value: unknown): boolean =>
    !Array.isArray(value) || new Set(value.map((item) => canonical(item))).size === value.length,
  error: (): string => 'must not have duplicate items',
};
