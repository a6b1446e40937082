import { readSchema, type SchemaFault } from '../read/read-schema.ts';
import type { CheckedSchema } from './checked-schema.ts';
import { checkByEngine } from './engine-loader.ts';
import { plainSchema } from './plain-schema.ts';

/**
 * Prepares a schema received from the peer (a tool's `outputSchema`, the form of an elicitation), or returns why it is refused.
 * TypeBox interprets the schema without generating code, and evaluates neither patterns nor formats. Values that could take too
 * long to check are accepted, with the reason in `unchecked`.
 */
export function receivedSchema(schema: unknown): { readonly schema: CheckedSchema } | { readonly fault: SchemaFault } {
  const read = readSchema(schema);
  if ('fault' in read) return read;
  // Two equal `$dynamicAnchor`s are refused: TypeBox would search the whole schema for each `$dynamicRef` of each value.
  if (read.schema.hasDynamicScope)
    return { fault: { path: '', message: 'has a $dynamicAnchor more than once, which is not supported' } };
  const { root } = read.schema;
  const accepts = plainSchema(root);
  const check = checkByEngine(read.schema, 'interpret');
  return { schema: { jsonSchema: root, check: (value) => (accepts?.(value) ? { ok: true, value } : check(value)) } };
}
