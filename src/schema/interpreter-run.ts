/** One check of a value against a schema that came over the wire: what it may cost, and what it found. */

import type { EngineError } from './engine-errors.ts';
import type { JsonObject } from './json.ts';
import { pointer } from './pointer.ts';
import type { Resource } from './references.ts';
import type { SchemaDocument } from './walker.ts';

/** Checks a value, tells the run what is wrong with it, and notes which of its parts were looked at. */
export type Check = (run: Run, value: unknown, at: Place | undefined, seen: Seen | undefined) => boolean;

/** What the rules are made with. */
export interface Maker {
  readonly document: SchemaDocument;
  /** The check of a subschema. */
  of(schema: unknown): Check;
}

/** Makes the check of one keyword, or nothing if it has no say. */
export type Rule = (value: unknown, maker: Maker, schema: JsonObject) => Check | undefined;

/** A part of the value, by the way to it. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
}

/** A step of this work takes some ten nanoseconds; so many are a fifth of a second at most. */
const maxSteps = 7_000_000;

/** More than are reported, since several of them become one. */
const maxErrors = 30;

/** The check was given up: it would have taken too many steps. */
export class TooMuchWork extends Error {}

/** What has been looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export class Seen {
  readonly names: Set<string> = new Set();
  readonly indexes: Set<number> = new Set();

  add(other: Seen, run: Run): void {
    run.spend(15 * (other.names.size + other.indexes.size));
    for (const name of other.names) this.names.add(name);
    for (const index of other.indexes) this.indexes.add(index);
  }
}

export class Run {
  /** The parts of the document on the way here, outermost first. */
  readonly scope: Resource[] = [];
  readonly #tracks: boolean;
  #errors: EngineError[] | undefined;
  #steps = 0;
  #object: JsonObject | undefined;
  #names: readonly string[] = [];

  constructor(tracks: boolean) {
    this.#tracks = tracks;
  }

  /** Counts steps before they are made. */
  readonly spend = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw new TooMuchWork();
  };

  /** The names of the members of an object, but for undefined ones, which never go over the wire. */
  namesOf(object: JsonObject): readonly string[] {
    // A large object has slow names, and several schemas in a row often ask for the same.
    if (object !== this.#object) {
      this.#names = Object.keys(object).filter((name) => object[name] !== undefined);
      this.#object = object;
      this.spend(20 * this.#names.length);
    }
    return this.#names;
  }

  /** Whether another error would make no difference: then the first one decides. */
  get isFull(): boolean {
    return this.#errors === undefined || this.#errors.length >= maxErrors;
  }

  fail(at: Place | undefined, keyword: string, message: string, params: object = {}, schemaPath = ''): false {
    if (!this.isFull) this.#errors?.push({ keyword, schemaPath, instancePath: pathOf(at), params, message });
    return false;
  }

  /** Checks without telling what is wrong. */
  quietly(check: () => boolean): boolean {
    return this.#with(undefined, check).ok;
  }

  /** Checks telling everything that is wrong. */
  loudly(check: () => boolean): { readonly ok: boolean; readonly errors: readonly EngineError[] } {
    return this.#with([], check);
  }

  /** Keeps errors back, if there is somebody to tell them to: what is wrong with one of several may not matter. */
  apart(check: () => boolean): { readonly ok: boolean; readonly errors: readonly EngineError[] } {
    return this.isFull ? { ok: this.quietly(check), errors: [] } : this.loudly(check);
  }

  tell(errors: readonly EngineError[]): void {
    for (const error of errors) if (!this.isFull) this.#errors?.push(error);
  }

  /** Checks a part of the value. */
  part(check: Check, value: unknown, parent: Place | undefined, key: string | number): boolean {
    return check(this, value, { parent, key }, this.fresh());
  }

  /** Checks the same value by another schema; what that has looked at counts here if it is content. */
  same(check: Check, value: unknown, at: Place | undefined, seen: Seen | undefined): boolean {
    const own = this.fresh();
    const ok = check(this, value, at, own);
    if (ok && own) seen?.add(own, this);
    return ok;
  }

  fresh(): Seen | undefined {
    return this.#tracks ? new Seen() : undefined;
  }

  #with(errors: EngineError[] | undefined, check: () => boolean) {
    const outer = this.#errors;
    this.#errors = errors;
    const ok = check();
    this.#errors = outer;
    return { ok, errors: errors ?? [] };
  }
}

function pathOf(at: Place | undefined): string {
  return at === undefined ? '' : pointer(pathOf(at.parent), at.key);
}

/** Whether all fit. Goes on after the first that does not, as long as more errors can be told. */
export function every<T>(run: Run, list: readonly T[], fits: (each: T) => boolean): boolean {
  let ok = true;
  for (const each of list) {
    if (fits(each)) continue;
    if (run.isFull) return false;
    ok = false;
  }
  return ok;
}
