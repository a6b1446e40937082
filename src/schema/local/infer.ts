/** Infers from a schema the TypeScript types of the value that a caller sends and of the value that a handler receives. */

import type { StandardSchema } from './standard-schema.ts';

/**
 * A Standard Schema, a JSON Schema object or a TypeBox type. Accepts every object type, because TypeBox's interfaces have no
 * index signature. Registration throws for objects that are not schemas.
 */
export type AnySchema = StandardSchema | object;

/** Type of a value after validation against the schema `S`, as the handler receives it, with defaults and transforms. */
export type InferOutput<S> = S extends StandardSchema ? StandardTypes<S>['output'] : FromJsonSchema<S, []>;

/** Type of a value before validation against the schema `S`, as the caller sends it. */
export type InferInput<S> = S extends StandardSchema ? StandardTypes<S>['input'] : FromJsonSchema<S, []>;

type StandardTypes<S extends StandardSchema> = NonNullable<S['~standard']['types']>;

/** Maximum nesting of schemas for which types are inferred. Deeper ones become `unknown`: TypeScript limits recursive types. */
type Deepest = 12;
type Deeper<Depth extends unknown[]> = [...Depth, 0];

type FromJsonSchema<S, Depth extends unknown[]> = Depth['length'] extends Deepest
  ? unknown
  : S extends false
    ? never
    : S extends { readonly '~unsafe': infer T } // `Type.Unsafe` of TypeBox
      ? T
      : S extends { readonly const: infer Value }
        ? Value
        : S extends { readonly enum: readonly (infer Value)[] }
          ? Value
          : Typed<S, Depth> & Combined<S, Depth>;

type Typed<S, Depth extends unknown[]> = S extends { readonly type: infer Name }
  ? Name extends readonly (infer Each)[]
    ? Named<Each, S, Depth>
    : Named<Name, S, Depth>
  : unknown;

type Named<Name, S, Depth extends unknown[]> = string extends Name
  ? unknown
  : Name extends keyof Primitives
    ? Primitives[Name]
    : Name extends 'array'
      ? ArrayOf<S, Deeper<Depth>>
      : Name extends 'object'
        ? ObjectOf<S, Deeper<Depth>>
        : unknown;

type Primitives = { string: string; number: number; integer: number; boolean: boolean; null: null };

type Combined<S, Depth extends unknown[]> = (S extends { readonly anyOf: readonly (infer Each)[] }
  ? Union<Each, Deeper<Depth>>
  : unknown) &
  (S extends { readonly oneOf: readonly (infer Each)[] } ? Union<Each, Deeper<Depth>> : unknown) &
  (S extends { readonly allOf: infer All extends readonly unknown[] } ? Intersection<All, Deeper<Depth>> : unknown);

type Union<S, Depth extends unknown[]> = S extends unknown ? FromJsonSchema<S, Depth> : never;

type Intersection<All extends readonly unknown[], Depth extends unknown[]> = All extends readonly [
  infer First,
  ...infer Rest,
]
  ? FromJsonSchema<First, Depth> & Intersection<Rest, Depth>
  : unknown;

type ArrayOf<S, Depth extends unknown[]> = S extends { readonly prefixItems: infer Prefix extends readonly unknown[] }
  ? [...Tuple<Prefix, Depth>, ...RestOf<S, Depth>]
  : S extends { readonly items: infer Items }
    ? Items extends readonly unknown[]
      ? Tuple<Items, Depth>
      : FromJsonSchema<Items, Depth>[]
    : unknown[];

type Tuple<Items extends readonly unknown[], Depth extends unknown[]> = {
  -readonly [K in keyof Items]: FromJsonSchema<Items[K], Depth>;
};

/** Infers the tuple's items after `prefixItems`. Without `items`, the tuple ends there, although JSON Schema allows more. */
type RestOf<S, Depth extends unknown[]> = S extends { readonly items: infer Items extends object }
  ? FromJsonSchema<Items, Depth>[]
  : [];

type ObjectOf<S, Depth extends unknown[]> = S extends { readonly properties: infer Properties extends object }
  ? Flat<
      {
        -readonly [K in keyof Properties as K extends RequiredOf<S> ? K : never]: FromJsonSchema<Properties[K], Depth>;
      } & {
        -readonly [K in keyof Properties as K extends RequiredOf<S> ? never : K]?: FromJsonSchema<Properties[K], Depth>;
      }
    > &
      (S extends { readonly additionalProperties: true | object } ? { [key: string]: unknown } : unknown)
  : S extends { readonly additionalProperties: infer Values }
    ? { [key: string]: FromJsonSchema<Values, Depth> }
    : S extends { readonly patternProperties: infer Patterns extends object }
      ? { [key: string]: FromJsonSchema<Patterns[keyof Patterns], Depth> }
      : { [key: string]: unknown };

/** Union of the names in `required`; `never` if they are not literal types, so that all members are optional. */
type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never;

type Flat<T> = { [K in keyof T]: T[K] };
