/** Rewrites schemas of all supported dialects to a subset of JSON Schema 2020-12, so that TypeBox gets only one dialect. */

import { canonicalJson } from '../../jsonrpc/json/canonical-json.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { type JsonObject, listOf } from '../json.ts';
import { subschemas } from '../read/keywords.ts';
import type { ParsedSchema } from '../read/read-schema.ts';
import { compilePattern } from '../redos/compile-pattern.ts';
import { relax } from './relax.ts';

/** A schema that has been rewritten for TypeBox, in a subset of JSON Schema 2020-12. */
export interface NormalForm {
  readonly schema: JsonObject;
  /** True if the schema names an inherited property (`toString`). Values are then copied to objects without a prototype. */
  readonly hasInheritedNames: boolean;
}

const annotations = new Set(
  '$schema $defs definitions $comment title description default examples deprecated'.split(' '),
);
/** Keywords that the loop of `Writer.#fill` skips, because separate methods rewrite them. */
const rewritten = new Set('$ref $dynamicRef items additionalItems dependencies pattern uniqueItems format'.split(' '));
/** Keywords without subschemas, whose values are copied unchanged. */
const copied = new Set(
  (
    'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength maxItems minItems ' +
    'maxContains minContains maxProperties minProperties required dependentRequired'
  ).split(' '),
);
const identifiers = new Set(['$id', '$anchor', '$dynamicAnchor', '$defs', 'definitions']);
const conditional = new Set(['if', 'then', 'else']);

/**
 * Rewrites an application's schema to JSON Schema 2020-12, without annotations. References become `#` or `#/$defs/n`, which
 * TypeBox resolves without a search. A schema with two equal `$dynamicAnchor`s (`hasDynamicScope`) keeps its references.
 */
export function toNormalForm(schema: ParsedSchema): NormalForm {
  return new Writer(schema, false).write();
}

/**
 * Rewrites a schema received from the peer for interpretation by TypeBox, without patterns and formats. References are replaced
 * by their targets, so a recursive schema becomes an object that contains itself.
 */
export function toReceivedForm(schema: ParsedSchema): NormalForm {
  return new Writer(schema, true).write();
}

class Writer {
  readonly #parsed: ParsedSchema;
  readonly #isReceived: boolean;
  /** Rewritten targets of references, keyed by the original schema. `number` is the name of the target in `$defs`. */
  readonly #targets = new Map<JsonObject, { readonly number: number; readonly result: Record<string, unknown> }>();
  #hasInheritedNames = false;

  constructor(parsed: ParsedSchema, isReceived: boolean) {
    this.#parsed = parsed;
    this.#isReceived = isReceived;
  }

  write(): NormalForm {
    const { root, hasDynamicScope } = this.#parsed;
    const schema = this.#isReceived ? this.#target(root).result : this.#object(root);
    const $defs: [string, unknown][] = [];
    // `#fill` can add targets. The loop reaches these too, because a Map iterator visits entries added during the loop.
    for (const [target, { number, result }] of this.#targets) {
      this.#fill(target, result);
      $defs.push([String(number), result]);
    }
    schema.$schema = 'https://json-schema.org/draft/2020-12/schema';
    if ($defs.length > 0 && !hasDynamicScope && !this.#isReceived) schema.$defs = Object.fromEntries($defs);
    return { schema, hasInheritedNames: this.#hasInheritedNames };
  }

  #schema(schema: unknown): unknown {
    return isObject(schema) ? this.#object(schema) : schema;
  }

  #object(schema: JsonObject): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.#fill(schema, result);
    return result;
  }

  #fill(schema: JsonObject, result: Record<string, unknown>): void {
    const { dialect, hasDynamicScope, hasPatterns } = this.#parsed;
    this.#references(schema, result);
    // In dialects before 2019-09, keywords beside a `$ref` have no effect.
    if (dialect !== '2020-12' && schema.$ref !== undefined) return;
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined || rewritten.has(keyword)) continue;
      // TypeBox needs identifiers such as `$id` only to resolve a `$dynamicRef`.
      if (hasDynamicScope && identifiers.has(keyword)) result[keyword] = this.#value(keyword, value);
      else if (annotations.has(keyword) || (dialect === 'draft-06' && conditional.has(keyword))) continue;
      else if (keyword === 'allOf') result.allOf = [...listOf(result.allOf), ...listOf(this.#value(keyword, value))];
      else if (copied.has(keyword) || subschemas.has(keyword)) result[keyword] = this.#value(keyword, value);
    }
    this.#arrays(schema, result);
    this.#dependencies(schema, result);
    if (this.#isReceived) relax(result, hasPatterns);
    else if (typeof schema.pattern === 'string') result.pattern = compilePattern(schema.pattern);
    if (!this.#isReceived && schema.format !== undefined) result.format = schema.format;
    this.#refinements(schema, result);
    this.#noteNames(result);
    this.#unevaluated(result);
  }

  #value(keyword: string, value: unknown): unknown {
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
    for (const [keyword, target] of this.#parsed.targets.get(schema) ?? []) {
      if (this.#isReceived)
        result.allOf = [...listOf(result.allOf), isObject(target) ? this.#target(target).result : target];
      else if (this.#parsed.hasDynamicScope) result[keyword] = schema[keyword];
      else if (result.$ref === undefined) result.$ref = this.#reference(target);
      else result.allOf = [{ $ref: this.#reference(target) }];
    }
  }

  #reference(target: JsonObject | boolean): string {
    if (target === this.#parsed.root) return '#';
    // TypeBox cannot resolve a reference to a boolean schema, so an equivalent object replaces the boolean.
    const schema = typeof target === 'boolean' ? (target ? anything : nothing) : target;
    return `#/$defs/${this.#target(schema).number}`;
  }

  #target(schema: JsonObject): { readonly number: number; readonly result: Record<string, unknown> } {
    const target = this.#targets.get(schema) ?? { number: this.#targets.size, result: {} };
    this.#targets.set(schema, target);
    return target;
  }

  #arrays(schema: JsonObject, result: Record<string, unknown>): void {
    const { items, additionalItems } = schema;
    if (Array.isArray(items)) {
      result.prefixItems = items.map((each) => this.#schema(each));
      if (additionalItems !== undefined) result.items = this.#schema(additionalItems);
    } else if (items !== undefined) {
      result.items = this.#schema(items);
    }
  }

  #dependencies(schema: JsonObject, result: Record<string, unknown>): void {
    if (!isObject(schema.dependencies)) return;
    const entries = Object.entries(schema.dependencies);
    const required = entries.filter(([, each]) => Array.isArray(each));
    const schemas = entries.filter(([, each]) => !Array.isArray(each));
    // If the schema already has a keyword that replaces `dependencies`, the second one goes into `allOf`, so that both apply.
    for (const [keyword, more] of [
      ['dependentRequired', Object.fromEntries(required)],
      ['dependentSchemas', this.#named(schemas)],
    ] as const) {
      if (Object.keys(more).length === 0) continue;
      if (result[keyword] === undefined) result[keyword] = more;
      else result.allOf = [...listOf(result.allOf), { [keyword]: more }];
    }
  }

  // Restricts `unevaluatedProperties` to objects. TypeBox applies the keyword to arrays too, contrary to JSON Schema.
  #unevaluated(result: Record<string, unknown>): void {
    if (result.unevaluatedProperties === undefined || result.type === 'object') return;
    const keywords = Object.entries(result).filter(([keyword]) => !identifiers.has(keyword));
    for (const [keyword] of keywords) delete result[keyword];
    const others = keywords.filter(([keyword]) => keyword !== 'unevaluatedProperties');
    result.anyOf = [
      { allOf: [{ not: { type: 'object' } }, Object.fromEntries(others)] },
      { allOf: [{ type: 'object' }, Object.fromEntries(keywords)] },
    ];
  }

  #refinements(schema: JsonObject, result: Record<string, unknown>): void {
    const own = this.#isReceived ? undefined : schema['~refine'];
    const refinements = Array.isArray(own) ? [...own] : [];
    // A TypeBox refinement (`~refine`) replaces `uniqueItems`, because TypeBox's own check takes quadratic time.
    if (schema.uniqueItems === true) refinements.push(unique);
    if (refinements.length > 0) result['~refine'] = refinements;
  }

  #noteNames(schema: JsonObject): void {
    const { properties, required, dependentRequired, dependentSchemas } = schema;
    const names = [properties, dependentRequired, dependentSchemas].flatMap((each) => Object.keys(Object(each)));
    if (Array.isArray(required)) names.push(...required);
    if (isObject(dependentRequired)) names.push(...Object.values(dependentRequired).flat().map(String));
    if (names.some((name) => name in Object.prototype)) this.#hasInheritedNames = true;
  }
}

const anything: JsonObject = {};
const nothing: JsonObject = { not: {} };

/** Returns the text by which `unique` compares array items. Only objects and arrays need `canonicalJson`, which is slower. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? canonicalJson(value) : JSON.stringify(value);
}

const unique = {
  check: (value: unknown): boolean => !Array.isArray(value) || new Set(value.map(textOf)).size === value.length,
  error: (): string => 'must not have duplicate items',
};
