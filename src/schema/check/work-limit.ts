/**
 * Bounds the time of a check against a received schema. TypeBox has no limit of its own, so a walk over schema and value counts
 * in advance the subschemas that TypeBox would apply if no check ended early. The walk stops when it has counted `MAX_WORK`.
 */

import { isObject } from '../../jsonrpc/message.ts';
import { type JsonObject, listOf } from '../json.ts';
import { MAX_WORK } from '../limits.ts';

/** Keywords for which TypeBox enumerates an object's members, with the time per member, in subschema applications. */
const enumerating: readonly (readonly [keyword: string, work: number])[] = [
  ['additionalProperties', 2],
  ['patternProperties', 2],
  ['unevaluatedProperties', 2],
  ['propertyNames', 2],
  ['minProperties', 0.5],
  ['maxProperties', 0.5],
  ['dependentRequired', 0.5],
  ['dependentSchemas', 0.5],
  ['~refine', 0.6],
];

/** Estimated time to apply one schema, in subschema applications. Does not include the subschemas, which are listed here. */
interface Work {
  readonly fixed: number;
  readonly perCharacter: number;
  readonly perItem: number;
  readonly perMember: number;
  /** Time for each value nested in an array that must have unique items. */
  readonly perNode: number;
  /** Subschemas that apply to the same value as the parent schema, such as those in `allOf`. */
  readonly inPlace: readonly unknown[];
  readonly dependent: readonly (readonly [string, unknown])[];
  readonly properties: ReadonlyMap<string, unknown>;
  readonly additional: readonly unknown[];
  readonly everyName: readonly unknown[];
  readonly everyMember: readonly unknown[];
  readonly prefixItems: readonly unknown[];
  readonly items: readonly unknown[];
  readonly everyItem: readonly unknown[];
}

/** Decides whether the check of a value against a received schema (output of `toReceivedForm`) would take too long. */
export class WorkLimit {
  readonly #schema: JsonObject;
  readonly #works = new Map<object, Work>();
  readonly #names = new Map<object, readonly string[]>();
  #left = 0;

  constructor(schema: JsonObject) {
    this.#schema = schema;
  }

  /** True if the check could apply more than `MAX_WORK` subschemas. Throws a RangeError if the value is nested too deeply. */
  isExceededBy(value: unknown): boolean {
    this.#left = MAX_WORK;
    try {
      this.#apply(this.#schema, value);
    } finally {
      this.#names.clear();
    }
    return this.#left < 0;
  }

  #apply(schema: unknown, value: unknown): void {
    this.#left--;
    if (this.#left < 0 || !isObject(schema)) return;
    const work = this.#works.get(schema) ?? workOf(schema);
    this.#works.set(schema, work);
    this.#left -= work.fixed;
    if (typeof value === 'string') this.#left -= work.perCharacter * value.length;
    else if (Array.isArray(value)) this.#applyToItems(work, value);
    else if (isObject(value)) this.#applyToMembers(work, value);
    for (const next of work.inPlace) this.#apply(next, value);
  }

  #applyToItems(work: Work, value: readonly unknown[]): void {
    this.#left -= work.perItem * value.length;
    if (work.perNode > 0) this.#count(value, work.perNode);
    for (const [index, schema] of work.prefixItems.entries()) {
      if (index < value.length) this.#apply(schema, value[index]);
    }
    for (const schema of work.items) this.#applyToEach(schema, value, work.prefixItems.length);
    for (const schema of work.everyItem) this.#applyToEach(schema, value, 0);
  }

  #applyToEach(schema: unknown, values: readonly unknown[], from: number): void {
    for (let at = from; at < values.length && this.#left >= 0; at++) this.#apply(schema, values[at]);
  }

  #applyToMembers(work: Work, value: JsonObject): void {
    for (const [name, schema] of work.properties) {
      if (Object.hasOwn(value, name)) this.#apply(schema, value[name]);
    }
    for (const [name, schema] of work.dependent) {
      if (Object.hasOwn(value, name)) this.#apply(schema, value);
    }
    if (work.perMember === 0) return;
    const names = this.#namesOf(value);
    this.#left -= work.perMember * names.length;
    for (const schema of work.everyName) this.#applyToEach(schema, names, 0);
    if (work.everyMember.length + work.additional.length === 0) return;
    for (const name of names) {
      if (this.#left < 0) return;
      for (const schema of work.everyMember) this.#apply(schema, value[name]);
      if (!work.properties.has(name)) for (const schema of work.additional) this.#apply(schema, value[name]);
    }
  }

  #namesOf(value: JsonObject): readonly string[] {
    const names = this.#names.get(value) ?? Object.keys(value);
    this.#names.set(value, names);
    return names;
  }

  #count(value: unknown, perNode: number): void {
    this.#left -= typeof value === 'object' ? perNode : perNode / 2;
    if (this.#left < 0) return;
    if (typeof value === 'string') this.#left -= value.length / 256;
    else if (Array.isArray(value)) for (const item of value) this.#count(item, perNode);
    else if (isObject(value)) for (const name of this.#namesOf(value)) this.#count(value[name], perNode);
  }
}

function workOf(schema: JsonObject): Work {
  const properties = new Map(Object.entries(Object(schema.properties)));
  const branches = ['allOf', 'anyOf', 'oneOf'].map((keyword) => listOf(schema[keyword]));
  const inPlace = [...branches.flat(), ...given(schema, 'not', 'if', 'then', 'else')];
  const dependent = Object.entries(Object(schema.dependentSchemas));
  const prefixItems = listOf(schema.prefixItems);
  const required = listOf(schema.required);
  const dependentRequired = Object.values(Object(schema.dependentRequired)).flat();
  const options = 'const' in schema ? [schema.const] : listOf(schema.enum);
  const additional = given(schema, 'additionalProperties');
  const contains = given(schema, 'contains');
  // TypeBox applies `contains` to all items once more for each of `minContains` and `maxContains`.
  const counted = given(schema, 'minContains', 'maxContains').flatMap(() => contains);
  const names = properties.size + required.length + dependentRequired.length + dependent.length + prefixItems.length;
  // To find additional properties, TypeBox matches each name with a regular expression made of all names in `properties`.
  const alternatives = additional.length > 0 ? properties.size : 0;
  const alternativesLength = alternatives > 0 ? [...properties.keys()].join('').length : 0;
  const perMember = enumerating.reduce((sum, [keyword, work]) => (keyword in schema ? sum + work : sum), 0);
  return {
    fixed:
      names / 16 +
      (properties.size * required.length) / 500 +
      branches.reduce((sum, { length }) => sum + length / 16 + length ** 2 / 1000, 0) +
      options.reduce<number>((sum, option) => sum + sizeOf(option) / 16, 0) +
      alternatives / 2 +
      alternativesLength / 64,
    perCharacter: given(schema, 'minLength', 'maxLength').length / 256,
    // In-place subschemas (`allOf`, ...) add time per item and member: TypeBox merges sets of evaluated items and members.
    perItem: inPlace.length / 8,
    perMember: perMember + (inPlace.length + options.filter(isObject).length) / 8 + alternatives / 64,
    perNode: '~refine' in schema ? 1 : 0,
    inPlace,
    dependent,
    properties,
    additional,
    everyName: given(schema, 'propertyNames'),
    everyMember: given(schema, 'unevaluatedProperties'),
    prefixItems,
    items: given(schema, 'items'),
    everyItem: [...contains, ...counted, ...given(schema, 'unevaluatedItems')],
  };
}

function given(schema: JsonObject, ...keywords: readonly string[]): unknown[] {
  return keywords.flatMap((keyword) => (schema[keyword] === undefined ? [] : [schema[keyword]]));
}

/** Returns the number of values in a JSON value, itself included, plus one for every 64 characters of each string. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 64;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + sizeOf(each), 1);
}
