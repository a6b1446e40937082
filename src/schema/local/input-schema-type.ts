import type { StandardSchema } from './standard-schema.ts';

/**
 * Turns an input schema that registration would refuse into a compile-time error. The error shows the reason, as the expected
 * type of the member `Key`. A generic function around `registerTool` declares `config: ToolConfig<I, O> & CheckedInput<I>`.
 */
export type CheckedInput<I, Key extends string = 'inputSchema'> = I extends StandardSchema
  ? I extends { readonly _def: { readonly typeName: string } }
    ? Refused<Key, "schemas of zod 3 cannot be used: import { z } from 'zod/v4'">
    : CheckedObject<NonNullable<I['~standard']['types']>['input'], Key>
  : string extends I
    ? Refused<Key, 'a schema must not be empty: leave it out, or give { type: "object" }'>
    : I extends { readonly type: infer Type extends string }
      ? 'object' extends Type
        ? unknown
        : NotAnObject<Key>
      : CheckedShape<I, Key>;

type Refused<Key extends string, Reason extends string> = { readonly [K in Key]: Reason };

type NotAnObject<Key extends string> = Refused<Key, 'a schema must describe an object, as z.object({ ... }) does'>;

type Primitive = string | number | boolean | bigint | symbol | null | undefined;

type CheckedObject<Input, Key extends string> = unknown extends Input
  ? unknown
  : [Input] extends [Primitive | readonly unknown[]]
    ? NotAnObject<Key>
    : unknown;

type CheckedShape<I, Key extends string> = [keyof I] extends [never]
  ? unknown
  : [I[keyof I]] extends [StandardSchema]
    ? Refused<Key, 'a schema is expected, not an object of schemas: wrap it, as in z.object({ ... })'>
    : unknown;
