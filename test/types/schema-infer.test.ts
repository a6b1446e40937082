import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import type { AnySchema, InferInput, InferOutput } from '../../src/schema/local/infer.ts';

/** As registration takes a schema: literals keep their types without `as const`. */
declare function take<const S extends AnySchema>(schema: S): { input: InferInput<S>; output: InferOutput<S> };
type Taken<T> = T extends { output: infer Output } ? Output : never;

test('Standard Schemas tell their own input and output', () => {
  const zod = z.object({ a: z.string().transform(Number), b: z.number().default(1), c: z.boolean().optional() });
  expectTypeOf<InferInput<typeof zod>>().toEqualTypeOf<{
    a: string;
    b?: number | undefined;
    c?: boolean | undefined;
  }>();
  expectTypeOf<InferOutput<typeof zod>>().toEqualTypeOf<{ a: number; b: number; c?: boolean | undefined }>();
  const small = mini.object({ a: mini.string(), b: mini.optional(mini.number()) });
  expectTypeOf<InferOutput<typeof small>>().toEqualTypeOf<{ a: string; b?: number | undefined }>();
  const valibot = v.object({ a: v.pipe(v.string(), v.transform(Number)) });
  expectTypeOf<InferInput<typeof valibot>>().toEqualTypeOf<{ a: string }>();
  expectTypeOf<InferOutput<typeof valibot>>().toEqualTypeOf<{ a: number }>();
  const ark = type({ a: 'string', 'b?': 'number' });
  expectTypeOf<InferOutput<typeof ark>>().toEqualTypeOf<{ a: string; b?: number }>();
  const written = z.toJSONSchema(z.object({ a: z.string() }));
  expectTypeOf<InferOutput<typeof written>>().toEqualTypeOf<{ a: string }>();
});

test('a JSON Schema literal is read', () => {
  const taken = () =>
    take({
      type: 'object',
      properties: {
        s: { type: 'string', description: 'text' },
        n: { type: 'number' },
        i: { type: 'integer', minimum: 0 },
        b: { type: 'boolean' },
        z: { type: 'null' },
        m: { type: ['string', 'null'] },
        e: { enum: ['x', 'y', 1] },
        c: { const: 'k' },
        l: { type: 'array', items: { type: 'string' } },
        t: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
        r: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
        u: { anyOf: [{ type: 'string' }, { type: 'object', properties: { d: { type: 'number' } }, required: ['d'] }] },
        o: { oneOf: [{ const: 1 }, { const: 2 }] },
        w: { type: 'object', additionalProperties: { type: 'number' } },
        a: { type: 'array' },
        q: { $ref: '#' },
        f: {},
      },
      required: ['s', 'i', 'e', 'u', 't'],
    });
  expectTypeOf<Taken<ReturnType<typeof taken>>>().toEqualTypeOf<{
    s: string;
    i: number;
    e: 'x' | 'y' | 1;
    u: string | { d: number };
    t: [string, number];
    n?: number;
    b?: boolean;
    z?: null;
    m?: string | null;
    c?: 'k';
    l?: string[];
    r?: [string, ...number[]];
    o?: 1 | 2;
    w?: { [key: string]: number };
    a?: unknown[];
    q?: unknown;
    f?: unknown;
  }>();
});

test('allOf is an intersection, and additional properties are open', () => {
  const all = () =>
    take({
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'number' } } },
      ],
    });
  expectTypeOf<Taken<ReturnType<typeof all>>>().toEqualTypeOf<{ a: string } & { b?: number }>();
  const open = () => take({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true });
  expectTypeOf<Taken<ReturnType<typeof open>>>().toEqualTypeOf<{ a?: string } & { [key: string]: unknown }>();
  const bare = () => take({ type: 'object' });
  expectTypeOf<Taken<ReturnType<typeof bare>>>().toEqualTypeOf<{ [key: string]: unknown }>();
  const none = () => take({ type: 'object', additionalProperties: false });
  expectTypeOf<Taken<ReturnType<typeof none>>>().toEqualTypeOf<{ [key: string]: never }>();
});

test('TypeBox types are read by their shape', () => {
  const box = Type.Object({
    s: Type.String(),
    o: Type.Optional(Type.Integer()),
    u: Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()]),
    l: Type.Array(Type.Object({ d: Type.Boolean() })),
    e: Type.Enum(['x', 'y']),
    t: Type.Tuple([Type.String(), Type.Number()]),
    r: Type.Record(Type.String(), Type.Number()),
    i: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]),
    w: Type.Unsafe<Date>({ type: 'string' }),
  });
  expectTypeOf<InferOutput<typeof box>>().toEqualTypeOf<{
    s: string;
    u: 'a' | 'b' | null;
    l: { d: boolean }[];
    e: 'x' | 'y';
    t: [string, number];
    r: { [key: string]: number };
    i: { a: string } & { b: number };
    w: Date;
    o?: number;
  }>();
  const optional = Type.Object({ a: Type.Optional(Type.String()) });
  expectTypeOf<InferOutput<typeof optional>>().toEqualTypeOf<{ a?: string }>();
});

test('of a schema that is no literal little is known', () => {
  expectTypeOf<InferOutput<Record<string, unknown>>>().toBeUnknown();
  expectTypeOf<InferOutput<{ type: string; properties: { a: { type: string } }; required: string[] }>>().toBeUnknown();
  expectTypeOf<
    InferOutput<{ type: 'object'; properties: { a: { type: 'string' } }; required: string[] }>
  >().toEqualTypeOf<{ a?: string }>();
});

test('a schema that is too deep ends in unknown', () => {
  type Nested = { readonly type: 'array'; readonly items: Nested };
  expectTypeOf<InferOutput<Nested>>().toBeArray();
});
