import { isObject } from '../../jsonrpc/message.ts';

/** Standard Schema v1 and Standard JSON Schema (https://standardschema.dev). Declared here to avoid a dependency. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>;
}

export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  readonly jsonSchema?: StandardJsonSchema | undefined;
}

export interface StandardJsonSchema {
  readonly input: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
  readonly output: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
}

export interface StandardJsonSchemaOptions {
  readonly target: 'draft-2020-12' | 'draft-07' | (string & {});
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Returns whether a value implements Standard Schema v1. The value can be a function, as in arktype. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  if (!('~standard' in schema)) return false;
  const standard = schema['~standard'];
  return isObject(standard) && standard.version === 1 && typeof standard.validate === 'function';
}
